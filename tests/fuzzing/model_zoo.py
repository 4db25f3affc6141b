"""Small fitted models of every kind that a model file may hold, and what each is asked."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

import weft
from weft.model_file import CLASSES as SAVED_CLASSES
from weft.model_file.classes import class_of
from weft.rewriting.reranking import Reranker
from weft.structures import Grammar

__all__ = ["ZOO", "Animal", "answers", "usual_jobs"]

WORDS = ["phone", "graph", "photo", "note", "hero", "tango", "gnome", "ghost", "thing", "ship"]
SOUNDS = ["fon", "graf", "foto", "not", "hero", "tango", "nom", "gost", "θiŋ", "ʃip"]
ACCENTED = ["fón", "gráf", "fóto", "nót", "héro", "tángo", "nóm", "góst", "θíŋ", "ʃíp"]
DATES = ["24.1.2011", "3.2.2010", "17.12.1999", "5.5.2005", "30.9.2001", "12.10.2012"]
WRITTEN = ["2011-1-24", "2010-2-3", "1999-12-17", "2005-5-5", "2001-9-30", "2012-10-12"]
TAGGED = [["the", "old", "man", "runs"], ["a", "dog", "sees", "the", "man"], ["dogs", "run"], ["the", "dog"]]
TAGS = [["D", "A", "N", "V"], ["D", "N", "V", "D", "N"], ["N", "V"], ["D", "N"]]
CHUNKS = [["B-x", "I-x", "I-x", "O"], ["B-x", "I-x", "O", "B-x", "I-x"], ["B-x", "O"], ["B-x", "I-x"]]
ALIGNED = [("V-LSPADK", "VHLTPEEK"), ("MLSPADKT", "V-LTAEEK"), ("AC-D", "ACED")]
PAIRS = [(a.replace("-", ""), b.replace("-", "")) for a, b in ALIGNED]
RNA = ["GGGAAACCC", "GGCAAAGCCA", "ACGUUUCGU", "GGGGAAAACCCC"]
BRACKETS = ["(((...)))", "(((...))).", "(((...)))", "((((....))))"]
TEXTS = ["abab", "bbaa", "ccab", "dcdc", "ddcc", "cdcd", "abba", "dccd"]
STRANDS = [text.translate(str.maketrans("abcd", "ACGT")) for text in TEXTS]
CLASSES = ["x", "x", "x", "y", "y", "y", "x", "y"]
VECTORS = np.random.default_rng(0).normal(size=(12, 3))
NEW_WORDS = ["phonet", "gnat", "xylo"]


def _grammar() -> Grammar:
    return Grammar("S -> NP VP\nNP -> D N\nNP -> n\nVP -> v\nVP -> V NP\nD -> d\nN -> n\nV -> v")


def _parser() -> Any:
    sentences = ["dnv", "nvdn", "nv"]
    trees = ["(S (NP (D d) (N n)) (VP v))", "(S (NP n) (VP (V v) (NP (D d) (N n))))", "(S (NP n) (VP v))"]
    return weft.Parser(_grammar(), weft.CRF(max_iter=5)).fit(sentences, trees)


def _tagger(learner: Any = None, y: Any = TAGS, **options: Any) -> Any:
    features = options.pop("features", None)
    X = options.pop("X", TAGGED)
    return weft.Tagger(learner or weft.CRF(max_iter=5), features, random_state=0, **options).fit(X, y)


def _rewriter(y: Any = SOUNDS, tags: Any = None, **options: Any) -> Any:
    settings: dict[str, Any] = {"context": 2, "random_state": 0, "beam_width": 5, **options}
    return weft.Rewriter(**settings).fit(WORDS, y, tags=tags)


LETTERS = weft.SubstitutionMatrix(tuple("abcdX"), (np.eye(5) * 3 - 1).tolist(), -2.0, -1.0)


def _svc(kernel: Any, **options: Any) -> Any:
    X = options.pop("X", TEXTS)
    return weft.SequenceSVC(kernel, C=1.0, random_state=0, **options).fit(X, CLASSES)


def _low_rank() -> Any:
    with mock.patch("weft.learners.spectral.learner.WHOLE_CELLS", 10):  # so that a small matrix is one of low rank
        return weft.Tagger(weft.Spectral(3, tau=0.1, max_iter=4), random_state=0).fit(TAGGED, TAGS)


def _reordering() -> Any:
    rewriter = _rewriter(ACCENTED)
    n_symbols, n_outputs = len(rewriter.input_side_) + 1, len(rewriter.output_side_)
    random = np.random.default_rng(0)
    keys = np.unique(random.integers(-(2**62), 2**62, size=20))
    tiers = random.integers(-1, 3, size=(2, n_outputs))
    rewriter.reranker_ = Reranker(tiers, random.integers(0, 2, size=n_symbols), keys, random.normal(size=len(keys) + 1))
    return rewriter


def _many_tokens() -> Any:
    """Grams of so many tokens that their numbers do not fit 64 bits."""
    texts = [[f"w{(i * k) % 97}" for i in range(30)] for k in range(1, 9)]
    return weft.SequenceSVC(weft.NGramKernel(12), C=1.0, random_state=0).fit(texts, CLASSES)


def _dicts() -> list[list[dict[str, Any]]]:
    return [[{"w": word, "n": float(len(word))} for word in sentence] for sentence in TAGGED]


@dataclass(frozen=True)
class Animal:
    """One fitted model and the questions that it is asked after it was loaded."""

    make: Callable[[], Any]
    inputs: Any
    queries: tuple[str, ...] = ("predict", "predict_kbest", "confidence")
    options: Any = None


TAGGER = ("predict", "predict_kbest", "predict_marginals", "confidence", "z_score")
NEW = [["the", "cat", "runs"], ["a", "man"]]
ZOO: dict[str, Animal] = {
    "tagger": Animal(_tagger, NEW, TAGGER),
    "tagger of order 2": Animal(lambda: _tagger(order=2, boundary=True), NEW, TAGGER),
    "tagger with constraints": Animal(lambda: _tagger(y=CHUNKS, constraints="BIO"), NEW, TAGGER),
    "tagger of windows": Animal(lambda: _tagger(features=weft.WindowFeatures(1, 1)), NEW, TAGGER),
    "tagger of word classes": Animal(
        lambda: _tagger(features=weft.WindowFeatures(1, 1, classes=weft.WordClasses(2).fit(TAGGED))), NEW, TAGGER
    ),
    "word classes": Animal(lambda: weft.WordClasses(2).fit(TAGGED), NEW, ("transform",)),
    "hashed tagger": Animal(lambda: _tagger(n_features=64), NEW, TAGGER),
    "tagger of dicts": Animal(lambda: _tagger(X=_dicts()), _dicts()[:2], TAGGER),
    "tagger of vectors": Animal(
        lambda: _tagger(X=[VECTORS[: len(each)] for each in TAGS]), [VECTORS[:4], VECTORS[5:6]], TAGGER
    ),
    "averaged tagger": Animal(lambda: _tagger(weft.Perceptron(max_iter=3)), NEW, TAGGER),
    "stacked tagger": Animal(
        lambda: weft.StackedTagger(
            weft.CRF(max_iter=5), weft.WindowFeatures(1, 1), first=weft.Perceptron(3), n_folds=2, random_state=0
        ).fit(TAGGED, CHUNKS),
        NEW, TAGGER,
    ),
    "spectral tagger": Animal(
        lambda: weft.SpectralTagger(order=2, tau=0.1, max_iter=4, random_state=0).fit(TAGGED, TAGS),
        NEW, ("predict", "predict_kbest", "predict_marginals", "confidence"),
    ),
    "spectral tagger of short windows": Animal(
        lambda: weft.Tagger(weft.Spectral(3, tau=0.1, max_iter=4, shorter_grams=True), random_state=0).fit(
            TAGGED, TAGS
        ),
        NEW, ("predict", "predict_kbest", "predict_marginals"),
    ),
    "spectral tagger of low rank": Animal(_low_rank, NEW, ("predict", "predict_kbest", "predict_marginals")),
    "aligner": Animal(
        lambda: weft.Aligner(learner=weft.CRF(max_iter=5)).fit(PAIRS, ALIGNED), [("VLAD", "VHEEK"), ("A", "AC")], TAGGER
    ),
    "aligner of matches": Animal(
        lambda: weft.Aligner("match", gaps="linear", learner=weft.CRF(max_iter=5)).fit(PAIRS, ALIGNED),
        [("VLAD", "VHEEK"), ("A", "AC")], TAGGER,
    ),
    "chunk aligner": Animal(lambda: weft.ChunkAligner(max_iter=3).fit(list(zip(WORDS, SOUNDS, strict=True))),
                            [("phon", "fon")], ("predict",)),
    "folder": Animal(lambda: weft.Folder("g6", weft.CRF(max_iter=3)).fit(RNA, BRACKETS), ["GGGAAAACCC"], TAGGER),
    "folder of loops": Animal(
        lambda: weft.Folder("loops", learner=weft.CRF(max_iter=3)).fit(RNA, BRACKETS), ["GGGAAAACCC", "AUGGC"], TAGGER
    ),
    "folder of accurate pairs": Animal(
        lambda: weft.Folder("loops", learner=weft.CRF(max_iter=3), decode="expected", gamma=2.0).fit(RNA, BRACKETS),
        ["GGGAAAACCC"], TAGGER,
    ),
    "folder by energies": Animal(weft.Folder.from_energies, ["GGGAAAACCC"], TAGGER),
    "folder by energies of a file": Animal(
        lambda: weft.Folder.from_energies().set_params(energies="own.par"), ["GGGAAAACCC"], TAGGER
    ),
    "parser": Animal(_parser, ["dnv", "nvn"], TAGGER),
    "rewriter": Animal(_rewriter, NEW_WORDS),
    "rewriter of tones": Animal(
        lambda: _rewriter(ACCENTED, language_model=weft.NGramLanguageModel(2), n_models=2), NEW_WORDS
    ),
    "rewriter with tags": Animal(
        lambda: _rewriter(tags=[["V"]] * 5 + [["N", "PL"]] * 5), NEW_WORDS, options={"tags": ["V", "N;PL", "V"]}
    ),
    "rewriter with a network": Animal(
        lambda: _rewriter(network=weft.RecurrentNetwork(1, 4, 4, 4, 4, max_iter=2)),
        NEW_WORDS,
    ),
    "rewriter that reorders": Animal(_reordering, NEW_WORDS),
    "spectral rewriter": Animal(
        lambda: _rewriter(learner=weft.Spectral(2, tau=0.1, max_iter=3, sparse=False)), NEW_WORDS
    ),
    "classifier": Animal(
        lambda: _svc(weft.NGramKernel(2)), ["abcd", "ddx"], ("predict", "decision_function", "highlight")
    ),
    "classifier as it comes": Animal(
        lambda: _svc(None), ["abcd", "ddx"], ("predict", "decision_function", "highlight")
    ),
    "classifier of weighted grams": Animal(
        lambda: _svc(weft.Normalized(weft.NGramKernel(2, min_n=1, idf=True, sublinear=True))), ["abcd", "ddx"],
        ("predict", "decision_function", "highlight"),
    ),
    "classifier of a chosen kernel": Animal(
        lambda: _svc([weft.NGramKernel(1), weft.Normalized(weft.NGramKernel(2))]), ["abcd", "ddx"],
        ("predict", "decision_function"),
    ),
    "classifier of long grams": Animal(
        lambda: _svc(weft.NGramKernel(3, min_n=1) + weft.GappyKernel(2, 0.5)), ["abcd", "ddx"],
        ("predict", "decision_function"),
    ),
    "classifier of token grams": Animal(_many_tokens, [["w1", "w2", "w3", "w9"]] * 2, ("predict", "decision_function")),
    "calibrated classifier": Animal(
        lambda: weft.SequenceSVC(
            weft.Normalized(weft.MismatchKernel(2, 1)), C=1.0, probability=True, random_state=0
        ).fit(TEXTS * 3, list("xxxyyyzz") * 3),
        ["abcd", "ddx"], ("predict", "predict_proba"),
    ),
    "classifier by support": Animal(
        lambda: _svc(weft.SubsequenceKernel(2, 0.5)), ["abcd", "ddx"], ("predict", "decision_function")
    ),
    "classifier by places": Animal(
        lambda: _svc(weft.Normalized(weft.WeightedDegreeKernel(2, shift=1, anchor="centre"))), ["abcd", "ddx"],
        ("predict", "decision_function", "highlight"),
    ),
    "classifier by windows at places": Animal(
        lambda: _svc(weft.LocalityImprovedKernel(1, 2)), ["abcd", "ddx"], ("predict", "decision_function")
    ),
    "classifier by pairs of windows": Animal(
        lambda: _svc(weft.Normalized(weft.WindowPairKernel(3, 2, 1, half_life=4.0, levels=9)), X=STRANDS),
        ["GATTACA", "CCG"], ("predict", "decision_function"),
    ),
    "classifier of rows of a kernel matrix": Animal(
        lambda: _svc(weft.EmpiricalKernelMap(weft.Normalized(weft.NGramKernel(2)))), ["abcd", "ddx"],
        ("predict", "decision_function"),
    ),
    "classifier of rows of local alignments": Animal(
        lambda: _svc(weft.EmpiricalKernelMap(weft.Normalized(weft.LocalAlignmentKernel(LETTERS)))), ["abcd", "ddx"],
        ("predict", "decision_function"),
    ),
    "regressor": Animal(
        lambda: weft.StringRegressor(output_order=2, alpha=0.1).fit(DATES, WRITTEN), ["24.1.2010", "3.3.2003"],
        ("predict", "predict_kbest"),
    ),
    "regressors that vote": Animal(
        lambda: weft.StringRegressor(alpha=0.1, n_regressors=3, random_state=0).fit(DATES, WRITTEN),
        ["24.1.2010", "3.3.2003"], ("predict",),
    ),
    "regressor with a language model": Animal(
        lambda: weft.StringRegressor(
            output_order=2, alpha=0.1, preimage="nearest", language_model=weft.NGramLanguageModel(2)
        ).fit(DATES, WRITTEN),
        ["24.1.2010", "3.3.2003"], ("predict",),
    ),
    "dependency estimator": Animal(
        lambda: weft.KernelDependencyEstimator(alpha=0.1).fit(VECTORS, list("abcabcabcabc")), VECTORS[:3], ("predict",)
    ),
    "dependency estimator of images": Animal(
        lambda: weft.KernelDependencyEstimator(weft.LinearKernel(), weft.RBFKernel(), alpha=0.1, preimage="fixed_point")
        .fit(VECTORS, VECTORS**2),
        VECTORS[:3], ("predict",),
    ),
    "dependency estimator by features": Animal(
        lambda: weft.KernelDependencyEstimator(weft.NGramKernel(1), alpha=0.1).fit(DATES * 3, WRITTEN * 3),
        ["24.1.2010"], ("predict",),
    ),
    "dependency estimator of strings": Animal(
        lambda: weft.KernelDependencyEstimator(alpha=0.1, preimage="euler").fit(DATES, WRITTEN),
        ["24.1.2010"], ("predict",),
    ),
    "language model": Animal(
        lambda: weft.NGramLanguageModel(3).fit(WORDS), ["phone", "xx"], ("log_probability", "conditional_tables")
    ),
}  # fmt: skip


def answers(animal: Animal, model: Any) -> dict[str, Any]:
    """What a model says to all questions of its kind."""
    options = animal.options or {}
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for query in animal.queries:
            if query == "conditional_tables":
                found[query] = model.conditional_tables()
            elif query == "highlight":
                found[query] = model.highlight(animal.inputs[0])
            else:
                arguments = (animal.inputs, 3) if query == "predict_kbest" else (animal.inputs,)
                found[query] = getattr(model, query)(*arguments, **options)
    return found


@contextmanager
def usual_jobs(n_jobs: int) -> Iterator[None]:
    """Let everything that model files may hold have so many threads unless it is told otherwise."""
    with ExitStack() as stack:
        for name in SAVED_CLASSES:
            made: Any = class_of(name)
            defaults = getattr(made.__init__, "__kwdefaults__", None) or {}
            if "n_jobs" in defaults:
                stack.enter_context(mock.patch.dict(defaults, n_jobs=n_jobs))
            elif "n_jobs" in inspect.signature(made).parameters:
                raise AssertionError(f"n_jobs of {name} is no keyword")
        yield
