"""The kernel of LS-GKM with its defaults, learned by LIBSVM, on sets of binding sites in DNA.

LS-GKM (Lee 2016, github.com/Dongwon-Lee/lsgkm) has no package, so its machine is made again from its definition: pairs
of windows of 11 letters, 7 of which count, that differ in at most 3 places (``gkmtrain -t 4 -l 11 -k 7 -d 3``), both
strands, weights from 50 down that halve every 50 letters (``-M 50 -H 50``), values normalised, other letters read as
A, and LIBSVM without shrinking (``-c 1 -e 0.001``), which is scikit-learn's SVC. Nothing is chosen on any data.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from weft.experiments.accuracy.rows import Row
from weft.kernels.combinators import Normalized
from weft.kernels.grams.window_pairs import WindowPairKernel

METHOD = "LS-GKM's kernel and defaults, by LIBSVM"
LEVELS = 50
COST = 1.0
CACHE = 2_000
"""Megabytes, so that LIBSVM computes no row twice; its answers do not depend on it."""


def read_as_ls_gkm(x: str) -> str:
    """What it makes of letters that it does not know.

    Examples
    --------
    >>> read_as_ls_gkm("acNGt")
    'ACAGT'
    """
    return re.sub("[^ACGT]", "A", x.upper())


def ls_gkm_row(data: str, measure: str, train: Any, test: Any) -> Row:
    """Area under the curve in % on a test part, and the seconds of one processor for matrices, fit and predictions."""
    kernel = Normalized(WindowPairKernel(levels=LEVELS, n_jobs=1))
    kernel.gram(["ACGT" * 3])  # so that compiling takes no part of the seconds
    (X, y), (asked, wanted) = (([read_as_ls_gkm(x) for x in part[0]], part[1]) for part in (train, test))
    began = time.process_time()
    machine = SVC(kernel="precomputed", C=COST, tol=1e-3, shrinking=False, cache_size=CACHE).fit(kernel.gram(X), y)
    decisions = machine.decision_function(kernel.gram(asked, X))
    seconds = time.process_time() - began
    score = 100.0 * float(roc_auc_score(wanted, decisions))
    settings = f"windows (11, 7), at most 3 mismatches, half-life 50, {LEVELS} levels, both strands, C = {COST:g}"
    return Row(data, measure, score, seconds, settings, "defaults of gkmtrain", method=METHOD)


def mean_rows(data: str, rows: Iterable[Row], methods: Sequence[str]) -> list[Row]:
    """Mean scores of each method over its rows, and all of their seconds.

    Examples
    --------
    >>> rows = [Row("CTCF", "AUC", 98.0, 2.0, "", ""), Row("JUND", "AUC", 97.0, 3.0, "", "")]
    >>> [(row.score, row.seconds) for row in mean_rows("two sets", rows, ["weft"])]
    [(97.5, 5.0)]
    """
    rows, found = list(rows), []
    for method in methods:
        own = [row for row in rows if row.method == method]
        score, seconds = float(np.mean([row.score for row in own])), sum(row.seconds for row in own)
        found.append(Row(data, own[0].measure, score, seconds, "those of each set", "see there", method=method))
    return found
