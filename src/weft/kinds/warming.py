"""What compiles the loops of each task: a tiny model that is trained and asked everything that the commands ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _asked(estimator: Any, X: Any) -> None:
    estimator.predict(X)
    estimator.predict_kbest(X, 2)
    estimator.confidence(X)
    estimator.z_score(X)
    estimator.predict_marginals(X)


def _tag() -> None:
    import weft

    X, y = [["the", "cat"], ["a", "dog", "barks"]], [["D", "N"], ["D", "N", "V"]]
    features = weft.WindowFeatures(1, 1)
    _asked(weft.Tagger(features=features).fit(X, y), X)
    weft.Tagger(weft.Perceptron(2), features=features).fit(X, y).predict(X)
    _solve_for_many_weights()


def _solve_for_many_weights() -> None:
    """Steps of L-BFGS in single precision, as real vocabularies have them."""
    import numpy as np

    from weft.core.inverse_hessian import MANY_WEIGHTS
    from weft.solvers import minimize_lbfgs

    scale = np.linspace(1.0, 2.0, MANY_WEIGHTS)
    minimize_lbfgs(lambda w: (float(w @ (scale * w)) / 2, scale * w), np.ones(MANY_WEIGHTS), max_iter=3)


def _rewrite() -> None:
    import weft

    X, y = ["ab", "ba", "aab", "bba"], ["xy", "yx", "xxy", "yyx"]
    rewriter = weft.Rewriter().fit(X, y)
    rewriter.predict(X)
    rewriter.predict_kbest(X, 2)


def _align() -> None:
    import weft

    pairs = [(("ACGT", "AGT"), ("ACGT", "A-GT")), (("CGT", "ACGT"), ("-CGT", "ACGT"))]
    X, y = [pair for pair, _ in pairs], [rows for _, rows in pairs]
    _asked(weft.Aligner().fit(X, y), X)


def _fold() -> None:
    import weft

    X, y = ["GGGAAACCC", "GCGAAAGC"], ["(((...)))", "((....))"]
    _asked(weft.Folder().fit(X, y), X)


def _parse() -> None:
    import weft

    parser = weft.Parser("S -> S S\nS -> a\nS -> b").fit([["a", "b"]], ["(S (S a) (S b))"])
    parser.predict([["a", "b"]])
    parser.predict_kbest([["a", "b"]], 2)
    parser.confidence([["a", "b"]])


def _classify() -> None:
    import weft

    X, y = ["aab", "aba", "bbc", "bcb"], ["x", "x", "y", "y"]
    weft.SequenceSVC().fit(X, y).predict(X)


def _regress() -> None:
    import weft

    X, y = ["ab", "ba", "aab", "bba"], ["xy", "yx", "xxy", "yyx"]
    weft.StringRegressor(weft.NGramKernel(2)).fit(X, y).predict(X)


WARM: dict[str, Callable[[], None]] = {
    "tag": _tag,
    "rewrite": _rewrite,
    "align": _align,
    "fold": _fold,
    "parse": _parse,
    "classify": _classify,
    "regress": _regress,
}
"""For each command of ``weft train``."""
