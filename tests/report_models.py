"""A small model of every kind, and data for it that it gets wrong in part; some of the text is HTML on purpose."""

import functools
import tempfile
from pathlib import Path
from typing import NamedTuple

import weft

EVIL = "<script>alert('&')</script>"
_FOLDER = tempfile.TemporaryDirectory(prefix="weft-reports-")

GRAMMAR = """S -> NP VP
NP -> D N | NP PP
VP -> V NP | VP PP
PP -> P NP
D -> the
N -> cat | dog | "<script>alert('&')</script>"
V -> saw
P -> with
"""
NP, EVIL_NP = "(NP (D the) (N cat))", f'(NP (D the) (N "{EVIL}"))'
HIGH = f"(S {NP} (VP (VP (V saw) {NP}) (PP (P with) {NP})))"
LOW = f"(S {NP} (VP (V saw) (NP {EVIL_NP} (PP (P with) {NP}))))"
"""Sentences that differ in one word, and trees that differ in shape."""


class ReportModel(NamedTuple):
    """Files of a model, of its test data and of its training data."""

    model: Path
    data: Path
    training: Path


@functools.cache
def report_models():
    """By kind; made once for all tests."""
    return {name: ReportModel(*make()) for name, make in MAKERS.items()}


def _save(name, model, suffix, data, training, **notes):
    folder = Path(_FOLDER.name)
    paths = [folder / f"{name}.weft", folder / f"{name}{suffix}", folder / f"{name}-training{suffix}"]
    weft.save(model, paths[0], notes={"input": notes})
    paths[1].write_text(data)
    paths[2].write_text(training)
    return paths


def _sentences(X, y):
    return (
        "\n\n".join("\n".join(f"{a}\t{b}" for a, b in zip(*pair, strict=True)) for pair in zip(X, y, strict=True))
        + "\n"
    )


def _tag():
    X = [["the", "cat", EVIL], ["a", "cat"], ["the", EVIL, "sleeps"], ["a", "dog", "sleeps"]]
    y = [["B-NP", "I-NP", "B-<b>"], ["B-NP", "I-NP"], ["B-NP", "I-NP", "O"], ["B-NP", "I-NP", "O"]]
    tagger = weft.Tagger(weft.CRF(c2=0.5, max_iter=10), n_jobs=1).fit(X, y)
    data = _sentences([*X, ["a", EVIL]], [*y[:3], ["B-NP", "O", "O"], ["B-NP", "B-<b>"]])
    return _save("tag", tagger, ".conll", data, _sentences(X, y), format="conll", columns=1)


def _spectral():
    X, y = ["abab", "ba", "aab", "bba"], ["xyxy", "zx", "xxy", "zzx"]
    tagger = weft.SpectralTagger(tau=0.1, max_iter=5, random_state=0, n_jobs=1).fit(X, y)
    facts = {"format": "tsv", "columns": 1, "input_split": "characters", "label_split": "characters"}
    training = "".join(f"{a}\t{b}\n" for a, b in zip(X, y, strict=True))
    return _save("spectral", tagger, ".tsv", training + "ab\tzz\n", training, **facts)


def _classify():
    X = ["the cat sat", "the dog sat", f"le chat {EVIL}", "le chien dort", "the hat", "le chat", "a cat", "un chien"]
    y = ["en", "en", "<fr>", "<fr>"] * 2
    y[4:] = ["en", "<fr>", "en", "<fr>"]
    svc = weft.SequenceSVC(weft.NGramKernel(2), probability=True, random_state=0, n_jobs=1).fit(X, y)
    training = "".join(f"{a}\t{b}\n" for a, b in zip(X, y, strict=True))
    return _save("classify", svc, ".tsv", f"{training}le chat {EVIL}\ten\n", training, format="tsv", units="characters")


def _regress():
    X = ["uno", "dos", "tres", "uno dos", "dos tres", "uno tres"]
    y = ["one", "two", "three", "one two", "two three", "one three"]
    regressor = weft.StringRegressor(n_jobs=1).fit(X, y)
    training = "".join(f"{a}\t{b}\n" for a, b in zip(X, y, strict=True))
    return _save(
        "regress", regressor, ".tsv", f"{training}{EVIL}\t{EVIL}\n", training, format="tsv", units="characters"
    )


def _rewrite():
    X = ["cat", "chat", "hat", "tac", "ach", "c<t"]
    y = ["K A T", "SH A T", "H A T", "T A K", "A SH", "K <b> T"]
    rewriter = weft.Rewriter(random_state=0, n_jobs=1).fit(X, [each.split() for each in y])
    training = "".join(f"{a}\t{b}\n" for a, b in zip(X, y, strict=True))
    return _save("rewrite", rewriter, ".tsv", f"{training}tach\t{EVIL} A\n", training, format="tsv")


def _align():
    X = [("ACGTACGT", "ACACGT"), ("CCATTGA", "CCTTGA"), ("GATTACA", "GATACA")]
    y = [("ACGTACGT", "AC--ACGT"), ("CCATTGA", "CC-TTGA"), ("GATTACA", "GA-TACA")]
    aligner = weft.Aligner(learner=weft.CRF(c2=0.1, max_iter=5), n_jobs=1).fit(X, y)
    training = "".join(f"a{k}\t{EVIL}\t{a}\t{b}\n" for k, (a, b) in enumerate(y))
    data = f"{training}x\t{EVIL}\tACGT--\t--ACGT\n"
    return _save("align", aligner, ".tsv", data, training, format="tsv")


def _fold():
    X, y = ["GGGAAACCC", "GCGAAAAGC", "AGGCAAAAGCCA"], ["(((...)))", "((.....))", ".(((....)))."]
    folder = weft.Folder("g6", weft.CRF(max_iter=5), decode="best", n_jobs=1).fit(X, y)
    training = "".join(f">{EVIL}\n{a}\n{b}\n" for a, b in zip(X, y, strict=True))
    return _save("fold", folder, ".dbn", f"{training}>x\nGGGAAACCC\n.((...)).\n", training, format="dotbracket")


def _parse():
    words = f"the cat saw the {EVIL} with the cat".split()
    parser = weft.Parser(GRAMMAR, weft.CRF(c2=0.1, max_iter=5), n_jobs=1)
    parser.fit([words, words, ["the", "cat", "saw", "the", "cat", "with", "the", "cat"]], [LOW, LOW, HIGH])
    return _save("parse", parser, ".trees", f"{LOW}\n{HIGH}\n", f"{LOW}\n{HIGH}\n", format="trees")


MAKERS = {
    "tag": _tag,
    "spectral": _spectral,
    "classify": _classify,
    "regress": _regress,
    "rewrite": _rewrite,
    "align": _align,
    "fold": _fold,
    "parse": _parse,
}
