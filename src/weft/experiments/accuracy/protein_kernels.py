"""Which kernel finds remote families of proteins: training data of ten sets, cut so that families are far apart.

Random folds say nothing about that: training proteins have near copies, so that every kernel finds them. Here proteins
of the class are grouped into families by a kernel matrix. Each family in turn is trained on alone, with half of the
groups of other proteins, and all others are to be found. Groups by k-mers are hard for kernels of k-mers, groups by
alignments for kernels of alignments, so both are measured. The kernel of `weft reproduce accuracy --task classify` was
chosen here. Test parts and the sets of `docs/project/decisions/left-out.md` have no part in it.

Two other cuts also prefer local alignments with (5, 3) to every kernel of k-mers: training on all families but one,
where nearly all is found, and on those without the proteins that are near to it.

What is gained here need not be gained there: a test part has six to eleven proteins of a single family. Of the first
six that were scored, local alignments ranked two better and four worse than rows of gapped k-mers (8, 4) alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from weft.arrays import Floats, Integers
from weft.datasets import load_fastsk
from weft.experiments.dot_report import DotReport
from weft.experiments.report import Measurement, Report
from weft.kernels.aligned.local_alignment import LocalAlignmentKernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.gapped_kmer import GappedKMerKernel

Progress = Callable[[str], None]

TASKS = tuple(f"scop_{name}" for name in ["1.1", "1.34", "2.1", "2.31", "2.34", "2.41", "2.8", "3.19", "3.25", "3.50"])
MOST = {0: 350, 1: 250}
"""Different proteins of each class that are taken, at the most."""
N_FAMILIES, N_GROUPS, LEAST = 8, 40, 5
"""Families of the class, groups of other proteins, and how many proteins a family needs to be trained on."""
ALIGNED, KMERS = "local alignments", ("gapped (5, 3)", "gapped (8, 4)", "gapped (10, 4)")
GROUPED_BY = (KMERS[1], ALIGNED)


def proteins(task: str, most: Mapping[int, int], seed: int) -> tuple[list[str], Integers]:
    """Different training proteins of a set, of each class some."""
    data = load_fastsk(task, "train")
    labels = np.asarray(data.labels)
    _, first = np.unique(np.array(data.sequences), return_index=True)
    random = np.random.default_rng(seed)
    kept = [random.permutation(np.sort(first[labels[first] == label]))[: most[label]] for label in (0, 1)]
    chosen = np.sort(np.concatenate(kept))
    return [data.sequences[i] for i in chosen], labels[chosen]


def groups(matrix: Floats, n: int) -> Integers:
    """Group of each example, from 0 on, by Ward's method on distances in feature space.

    Examples
    --------
    >>> groups(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]]), 2).tolist()
    [0, 0, 1]
    """
    distances = np.sqrt(np.maximum(2.0 - 2.0 * matrix, 0.0))
    np.fill_diagonal(distances, 0.0)
    joined = linkage(squareform((distances + distances.T) / 2, checks=False), "ward")
    return np.asarray(fcluster(joined, n, "maxclust") - 1, dtype=np.int64)


def remote_splits(matrix: Floats, labels: Any) -> Iterator[tuple[Integers, Integers]]:
    """Training and test examples: one family of the class, and every other group of the rest, against all others."""
    members, rest = np.flatnonzero(labels == 1), np.flatnonzero(labels != 1)
    family = groups(matrix[np.ix_(members, members)], min(N_FAMILIES, len(members)))
    group = groups(matrix[np.ix_(rest, rest)], min(N_GROUPS, len(rest)))
    for each in range(family.max() + 1):
        if LEAST <= (family == each).sum() < len(members):
            train = np.concatenate([members[family == each], rest[group % 2 == each % 2]])
            yield train, np.setdiff1d(np.arange(len(labels)), train)


def area_of_rows(matrix: Floats, labels: Any, by: Floats, seed: int) -> float:
    """Mean area under the curve in % over splits: a linear SVM on rows of the kernel matrix."""
    areas = []
    for train, test in remote_splits(by, labels):
        rows = matrix[:, train] / np.sqrt((matrix[np.ix_(train, train)] ** 2).sum(axis=1).mean())
        linear = LinearSVC(C=1.0, class_weight="balanced", random_state=seed).fit(rows[train], labels[train])
        areas.append(100.0 * float(roc_auc_score(labels[test], linear.decision_function(rows[test]))))
    return float(np.mean(areas))


def matrices(X: list[str]) -> dict[str, Floats]:
    """Kernel matrices of some proteins, and sums of them."""
    found = {ALIGNED: Normalized(LocalAlignmentKernel()).gram(X)}
    for name, (g, k) in zip(KMERS, ((5, 3), (8, 4), (10, 4)), strict=True):
        found[name] = Normalized(GappedKMerKernel(g, k, dtype="float32")).gram(X)
    return found | {f"{ALIGNED} + {name}": found[ALIGNED] + found[name] for name in KMERS}


def run(*, quick: bool, n_replicates: int | None, seed: int, progress: Progress) -> Report:
    """Ten sets; some five minutes of one processor."""
    measurements: list[Measurement] = []
    for task in TASKS[6:7] if quick else TASKS:
        progress(task)
        X, labels = proteins(task, {0: 60, 1: 40} if quick else MOST, seed)
        all_matrices = matrices(X)
        for name, matrix in all_matrices.items():
            for by in GROUPED_BY:
                value = area_of_rows(matrix, labels, all_matrices[by], seed)
                measurements.append(Measurement(task, name, (value,), None, f"families by {by}"))
    for name, quantity in {(each.method, each.quantity): None for each in measurements}:
        own = [each.mean for each in measurements if (each.method, each.quantity) == (name, quantity)]
        measurements.append(Measurement("mean", name, (float(np.mean(own)),), None, quantity))
    return DotReport(
        "protein-kernels",
        "Kernels on families of proteins that are far from those of training",
        "area under the curve in %",
        measurements,
        notes=[
            "Training parts only: one family is trained on, all others are found. Rows of the kernel matrix are the "
            "features of a linear SVM with balanced classes and C = 1."
        ],
        facts={"seed": seed},
    )
