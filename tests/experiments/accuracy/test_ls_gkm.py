"""Tests of `weft.experiments.accuracy.ls_gkm`."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from weft.experiments.accuracy.ls_gkm import METHOD, ls_gkm_row, mean_rows
from weft.experiments.accuracy.rows import Row
from weft.kernels.grams.gapped_kmer import estimated_counts


def whole_windows(text):
    """Windows of both strands with whole weights, as LS-GKM writes them down: floor(50 exp(-ln 2 D / 50)) + 1."""
    text = text.replace("N", "A")
    n = len(text) - 10
    weights = [min(50, math.floor(50 * math.exp(-math.log(2) * abs(n // 2 - i) / 50)) + 1) for i in range(n)]
    other = text[::-1].translate(str.maketrans("ACGT", "TGCA"))
    codes = [[["ACGT".index(letter) for letter in each[i : i + 11]] for i in range(n)] for each in (text, other)]
    return np.array(codes), np.array([weights, weights[::-1]], dtype=float)


def gram_by_hand(X, Y):
    """Windows of one strand with those of both, by mismatches; its table for 0 to 3 of them, relative to equal ones."""
    kept = estimated_counts(11, 7)[:3]
    table = np.zeros(12)
    for m in range(4):
        for same in range(m + 1):
            for rest in range(m - same + 1):
                for away in range(12 - m):
                    first, second = m - same + away, same + rest + away
                    if max(first, second) < 3:
                        ways = math.comb(m, same) * math.comb(m - same, rest) * 2**rest
                        table[m] += ways * math.comb(11 - m, away) * 3**away * kept[first] * kept[second]
    found = np.zeros((len(X), len(Y)))
    for i, x in enumerate(X):
        (own, _), (weights, _) = whole_windows(x)
        for j, y in enumerate(Y):
            for strand, others in zip(*whole_windows(y), strict=True):
                mismatches = (own[:, None] != strand[None]).sum(axis=2)
                found[i, j] += weights @ table[mismatches] @ others
    return found


def test_a_row_is_libsvm_on_the_normalised_matrix():
    random = np.random.default_rng(0)
    X = ["".join(random.choice(list("ACGT"), size=size)) for size in random.integers(30, 70, 40)]
    y = np.arange(40) % 2
    X = [x[:12] + "CCACCAGGGGGCGC" + x[26:] if label else x for x, label in zip(X, y, strict=True)]
    X[0] = X[0][:20] + "N" + X[0][21:]
    y[1:9:2] = 0  # so that not all are right
    row = ls_gkm_row("toy", "area", (X[:28], y[:28]), (X[28:], y[28:]))
    lengths = 1 / np.sqrt([gram_by_hand([x], [x])[0, 0] for x in X])
    gram = gram_by_hand(X, X[:28]) * lengths[:, None] * lengths[:28]
    decisions = SVC(kernel="precomputed", C=1.0, shrinking=False).fit(gram[:28], y[:28]).decision_function(gram[28:])
    assert row.score == pytest.approx(100 * roc_auc_score(y[28:], decisions))
    assert row.score > 80
    assert (row.data, row.method) == ("toy", METHOD)
    assert row.seconds > 0
    assert row.note().startswith(f"toy, {METHOD}: windows (11, 7), at most 3 mismatches")


def test_means_are_of_each_method():
    rows = [Row(data, "AUC", score, 2.0, "", "", method=method) for data, score, method in [
        ("CTCF", 98.0, "weft"), ("CTCF", 97.0, METHOD), ("JUND", 97.0, "weft"), ("JUND", 94.0, METHOD),
    ]]  # fmt: skip
    found = mean_rows("two sets", rows, ("weft", METHOD))
    assert [(row.method, row.score, row.seconds) for row in found] == [("weft", 97.5, 4.0), (METHOD, 95.5, 4.0)]
