"""`--tune auto` beside every documented setting: `python -m benchmarks.tune_auto [OPTIONS] [SET ...]`.

Each set is a part of public training data: some hundred examples to learn from, others to score on. The default, every
documented setting that differs from it by one choice (another learner or kernel, another value of one option; what
`weft.kinds.settings.documented` lists) and what `--tune auto` finds are trained on the same examples. The best single
setting is found by half of the examples that are scored and scored on the other half, and the other way round: who
chooses it has more labelled examples than the tuning, but does not profit from chance. Scores are in percent; intervals
are those of paired differences, from examples drawn with replacement. They hold for one training part: some hundred
other examples may favour other settings, so `--draws` adds rows for other parts of the same examples. Nothing here sees
a test part.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from benchmarks.defaults import _dates
from benchmarks.learners import drawn
from weft import datasets
from weft.experiments.public_sets.prefab_halves import pairs_of_halves
from weft.experiments.public_sets.rfam_structures import published_structures
from weft.kinds import kind_of_command
from weft.kinds.base import Kind
from weft.kinds.halving import seconds_of, tune_within
from weft.kinds.measures import Measure
from weft.kinds.options import HELD_OUT_OPTIONS, LEARNER_OPTIONS
from weft.kinds.resampling import fit_quietly
from weft.kinds.settings import Setting, documented

N_RESAMPLES, SEED = 2000, 0
HEADING = ("set", "learned, scored", "measure", "default", "best single", "tuned", "tuned - default", "tuned - best")


class Set(NamedTuple):
    """A file for each example, joined; how many are learned from, and options that the data need."""

    command: str
    suffix: str
    examples: list[str]
    n_train: int
    options: Mapping[str, Any] = MappingProxyType({})


def conll(data: Any, n_train: int, n_test: int, tags: bool = False) -> Set:
    """Sentences with chunks or names, or with parts of speech."""
    found = []
    for words, pos, labels in zip(*drawn(n_train + n_test, data.tokens, data.pos, data.labels), strict=True):
        rows = zip(words, pos, strict=True) if tags else zip(words, pos, labels, strict=True)
        found.append("\n".join(" ".join(row) for row in rows) + "\n\n")
    return Set("tag", ".conll", found, n_train)


def nettalk(n_train: int, n_test: int, stress: bool = False) -> Set:
    """Words letter by letter."""
    data = datasets.load_nettalk()
    labels = data.stress if stress else data.phonemes
    rows = zip(*drawn(n_train + n_test, data.words, labels), strict=True)
    lines = ["\n".join(f"{a} {b}" for a, b in zip(word, each, strict=True)) + "\n\n" for word, each in rows]
    return Set("tag", ".conll", lines, n_train)


def titles(n_train: int, n_test: int) -> Set:
    """Titles of news with one of ten topics."""
    stories = [each for each in datasets.load_reuters21578() if len(each.topics) == 1 and each.title.strip()]
    topics, counts = np.unique([each.topics[0] for each in stories], return_counts=True)
    kept = set(topics[np.argsort(-counts, kind="stable")[:10]].tolist())
    chosen = [each for each in stories if each.topics[0] in kept]
    [some] = drawn(n_train + n_test, chosen)
    return Set("classify", ".tsv", [f"{' '.join(each.title.split())}\t{each.topics[0]}\n" for each in some], n_train)


def dna(task: str, n_train: int, n_test: int) -> Set:
    """Binding sites."""
    data = datasets.load_fastsk(task)
    rows = zip(*drawn(n_train + n_test, list(data.sequences), list(data.labels)), strict=True)
    return Set("classify", ".tsv", [f"{text}\tclass {label}\n" for text, label in rows], n_train)


def sounds(language: str, n_train: int, n_test: int, command: str = "rewrite") -> Set:
    """Words and their sounds."""
    file = datasets.load_g2p_sigmorphon2021(language)
    rows = zip(*drawn(n_train + n_test, file.inputs, file.outputs), strict=True)
    return Set(command, ".tsv", [f"{''.join(word)}\t{' '.join(out)}\n" for word, out in rows], n_train)


def tongues(n_train: int, n_test: int) -> Set:
    """In which of six languages a word is."""
    languages = ("bul", "dut", "fre", "hun", "vie_hanoi", "arm_e")
    words = [("".join(word), each) for each in languages for word in datasets.load_g2p_sigmorphon2021(each).inputs]
    [some] = drawn(n_train + n_test, words)
    return Set("classify", ".tsv", [f"{word}\t{language}\n" for word, language in some], n_train)


def proteins(n_train: int, n_test: int) -> Set:
    """Pairs of proteins, of the half that defaults were chosen on."""
    (sequences, alignments), _ = pairs_of_halves()
    short = [rows for pair, rows in zip(sequences, alignments, strict=True) if max(map(len, pair)) <= 150]
    [some] = drawn(n_train + n_test, short)
    from weft.kinds.align.training import Reliable

    lines = [f"a{k}\tb{k}\t{first}\t{second}\n" for k, (first, second) in enumerate(some)]
    return Set("align", ".tsv", lines, n_train, {"reliable": Reliable.UPPER})


def rna(n_train: int, n_test: int) -> Set:
    """RNAs, each of a family of its own."""
    [some] = drawn(n_train + n_test, published_structures(max_length=100))
    return Set("fold", ".tsv", [f"{each.sequence}\t{each.structure}\n" for each in some], n_train)


def dates(n_train: int, n_test: int) -> Set:
    """Dates in words and in figures."""
    rows = zip(*_dates(n_train + n_test), strict=True)
    return Set("regress", ".tsv", [f"{text}\t{figures}\n" for text, figures in rows], n_train)


SETS: dict[str, Callable[[], Set]] = {
    "chunks": lambda: conll(datasets.load_conll2000(), 150, 400),
    "English tags": lambda: conll(datasets.load_conll2000(), 100, 400, tags=True),
    "Spanish entities": lambda: conll(datasets.load_conll2002_es(), 200, 600),
    "phonemes": lambda: nettalk(300, 600),
    "stress": lambda: nettalk(300, 600, stress=True),
    "news": lambda: titles(400, 1000),
    "tongues": lambda: tongues(400, 1000),
    "CTCF": lambda: dna("dna_CTCF", 300, 800),
    "SIN3A": lambda: dna("dna_SIN3A", 300, 800),
    "Adyghe": lambda: sounds("ady", 300, 400),
    "Greek": lambda: sounds("gre", 300, 400),
    "Welsh": lambda: sounds("wel_sw", 300, 400),
    "proteins": lambda: proteins(60, 100),
    "RNA": lambda: rna(100, 150),
    "sounds by regression": lambda: sounds("gre", 150, 150, "regress"),
    "dates": lambda: dates(200, 200),
}


def opened(data: Set, file: Path) -> tuple[Kind, set[str]]:
    """A training of the command, and the names of its options."""
    kind = kind_of_command(data.command)()
    prepare = kind.recipe().prepare
    given: dict[str, Any] = {}
    names = set()
    for each in list(inspect.signature(prepare, eval_str=True).parameters.values())[1:]:
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            options = HELD_OUT_OPTIONS if each.name == "scored" else {**LEARNER_OPTIONS, **HELD_OUT_OPTIONS}
            given |= {name: given.get(name) for name in options}
            names |= {name.replace("_", "-") for name in options}
        elif each.default is not inspect.Parameter.empty:
            given[each.name] = each.default
            said = getattr(getattr(each.annotation, "__metadata__", [None])[0], "param_decls", None) or [each.name]
            names.add(said[0].split("/")[0].lstrip("-").replace("_", "-"))
    prepare(kind, **{**given, **data.options, "file": str(file)})
    kind.estimator.set_params(n_jobs=1, random_state=SEED)
    return kind, names


def measured(kind: Kind, estimator: Any, test: list[Any]) -> Measure:
    """What a setting scores that learns from all of the training."""
    fitted = fit_quietly(kind, estimator, range(len(kind.examples)))
    found = kind.measures(test, kind.predict(fitted, test))
    return next(found[name] for name in kind.checked if name in found)


def difference(one: Measure, other: Measure) -> str:
    """Of scores in percent, with its paired interval, positive where the first is better.

    Examples
    --------
    >>> difference(Measure("", [1, 1], [1, 1]), Measure("", [0, 1], [1, 1]))
    '+50.0 (+0.0 to +100.0)'
    """
    arrays = [np.array(each, dtype=float) for m in (one, other) for each in (m.numerators, m.denominators)]
    places = np.random.default_rng(SEED).integers(len(arrays[0]), size=(N_RESAMPLES, len(arrays[0])))
    top, bottom, other_top, other_bottom = (each[places].sum(axis=1) for each in arrays)
    sign = -100.0 if one.is_error else 100.0
    low, high = np.quantile(sign * (top / bottom - other_top / other_bottom), [0.025, 0.975]) + 0.0  # no minus zero
    return f"{sign * (one.value - other.value) + 0.0:+.1f} ({low:+.1f} to {high:+.1f})"


def best_by_halves(scored: Sequence[tuple[Setting, Measure]]) -> tuple[list[str], Measure]:
    """The best settings by either half of the examples, and their score on the other half.

    Examples
    --------
    >>> first, second = Measure("", [1, 0, 1, 0], [1] * 4), Measure("", [0, 1, 0, 1], [1] * 4)
    >>> names, found = best_by_halves([(Setting({}, {}), first), (Setting({"n": 3}, {}), second)])
    >>> names, found.value
    (['--n 3', 'default'], 0.0)
    """
    n = len(scored[0][1].numerators)
    sign = -1 if scored[0][1].is_error else 1
    names, above, below = [], np.zeros(n), np.zeros(n)
    for half in (0, 1):

        def score(each: tuple[Setting, Measure], half: int = half) -> float:
            top, bottom = (np.asarray(part)[1 - half :: 2].sum() for part in (each[1].numerators, each[1].denominators))
            return float(sign * top / bottom)

        setting, found = max(scored, key=score)
        above[half::2], below[half::2] = found.numerators[half::2], found.denominators[half::2]
        names += [shown(setting.options)] if shown(setting.options) not in names else []
    return names, Measure(scored[0][1].title, above.tolist(), below.tolist(), is_error=scored[0][1].is_error)


def shown(options: Any) -> str:
    """Options as they would be typed, or that there are none.

    Examples
    --------
    >>> shown({"n": 3, "shape": False}), shown({})
    ('--n 3 --no-shape', 'default')
    """
    switches = {True: "--", False: "--no-"}
    flags = [
        f"{switches[value]}{name}" if isinstance(value, bool) else f"--{name} {value}"
        for name, value in options.items()
    ]
    return " ".join(flags) or "default"


def say(name: str, setting: str, found: Measure, more: str) -> None:
    """Tell how far one is."""
    print(name, setting, f"{100 * found.value:.2f}", more, sep=" | ", file=sys.stderr, flush=True)


def reordered(data: Set, draw: int) -> Set:
    """Other examples to learn from; the first draw is the order that a set has.

    Examples
    --------
    >>> toy = Set("tag", ".conll", ["a", "b", "c", "d"], 2)
    >>> reordered(toy, 0).examples, reordered(toy, 2).examples
    (['a', 'b', 'c', 'd'], ['d', 'c', 'a', 'b'])
    """
    if not draw:
        return data
    order = np.random.default_rng(draw).permutation(len(data.examples))
    return data._replace(examples=[data.examples[i] for i in order])


def row(name: str, budget: float, draw: int = 0) -> tuple[str, ...]:
    """One set: its scores, and how the tuned setting differs from others."""
    data = reordered(SETS[name](), draw)
    with tempfile.TemporaryDirectory() as folder:
        train, test = (Path(folder) / f"{part}{data.suffix}" for part in ("train", "test"))
        train.write_text("".join(data.examples[: data.n_train]), encoding="utf-8")
        test.write_text("".join(data.examples[data.n_train :]), encoding="utf-8")
        kind, options = opened(data, train)
        tested = kind.read(str(test), None)
    given = {each.replace("_", "-") for each in data.options}
    scored: list[tuple[Setting, Measure]] = []
    for setting in documented(kind, options, given):
        began = time.process_time()
        scored.append((setting, measured(kind, setting.of(kind.estimator), tested)))
        say(name, shown(setting.options), scored[-1][1], f"{time.process_time() - began:.1f} s")
    names, highest = best_by_halves(scored)
    estimator, report = tune_within(kind, options, given, SEED, budget)
    tuned, default = measured(kind, estimator, tested), scored[0][1]
    said = f"{len(report['tried'])} tried" + ", out of time" * report["out_of_time"]
    say(name, f"tuned: {shown(report['chosen'])}", tuned, said)
    return (
        f"{name} ({data.command})" + f", draw {draw + 1}" * bool(draw),
        f"{data.n_train}, {len(tested)}",
        default.title,
        f"{100 * default.value:.1f}",
        f"{100 * highest.value:.1f} `{'`, `'.join(names)}`",
        f"{100 * tuned.value:.1f} `{shown(report['chosen'])}`",
        difference(tuned, default),
        difference(tuned, highest),
    )


def main(arguments: Sequence[str]) -> int:
    """Print the table, of all sets or of those named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tune_auto", description="Tuned beside single settings.")
    parser.add_argument("names", nargs="*", metavar="SET", help=f"of: {', '.join(SETS)}")
    parser.add_argument("--budget", default="60s", metavar="TIME", help="time of each tuning (default 60s)")
    parser.add_argument("--draws", type=int, default=1, metavar="N", help="rows of each set, of other training parts")
    parsed = parser.parse_args(arguments)
    unknown = [name for name in parsed.names if name not in SETS]
    if unknown:
        print(f"there is no set {unknown[0]!r}; there are {', '.join(map(repr, SETS))}", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    print("| " + " | ".join(HEADING) + " |\n|" + "---|" * len(HEADING))
    for name in parsed.names or SETS:
        for draw in range(parsed.draws):
            print("| " + " | ".join(row(name, seconds_of(parsed.budget), draw)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
