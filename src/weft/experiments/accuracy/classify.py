"""Rows of `weft reproduce accuracy` on classifying: binding sites in DNA, families of proteins, news.

The kernels for DNA of `weft.dna_kernels`, one for news, and their costs were chosen by folds within training data of
several sets at once, that for all proteins by `weft reproduce protein-kernels`, also within training data; which of the
kernels for DNA is taken, for each set by folds within its training part, as `SequenceSVC` does. The sets of
`docs/project/decisions/left-out.md` had no part in it. What the peer can choose, its n-grams and its cost, it chooses
in folds of at most 1,000 training sequences. Seconds are with the choice of a kernel for weft, without it for the peer.
Sets of DNA have another row of what LS-GKM does by default (`ls_gkm`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from weft.arrays import Floats
from weft.core.ties import ordered
from weft.datasets import FASTSK_TASKS, load_fastsk
from weft.estimators.classify.sequence_svc import SequenceSVC
from weft.experiments.accuracy.ls_gkm import METHOD as LS_GKM
from weft.experiments.accuracy.ls_gkm import ls_gkm_row, mean_rows
from weft.experiments.accuracy.rows import Row, kept_row
from weft.experiments.lattices.string_classification import FASTSK, micro_f1, stories
from weft.kernel_methods.svm.descent import solve_svm
from weft.kernel_methods.svm.sparse_rows import SparseRows
from weft.kernels.aligned.local_alignment import LocalAlignmentKernel
from weft.kernels.base import KernelSum
from weft.kernels.combinators import Normalized
from weft.kernels.empirical import EmpiricalKernelMap
from weft.kernels.grams.dna import dna_kernels
from weft.kernels.grams.gapped_kmer import GappedKMerKernel
from weft.kernels.grams.ngram import NGramKernel
from weft.parameters import clone

Progress = Callable[[str], None]

MOST = 1_000
"""Sequences of a set that a choice of the peer takes, at the most."""
N_FOLDS = 3
DNA_COST, PROTEIN_COST, NEWS_COST = 10.0, 1.0, 1.0
DNA_GRAMS, PROTEIN_GRAMS = ((3, 6), (5, 8)), ((1, 3), (2, 4))
"""Lengths of the peer's n-grams, from which it chooses."""
TF_IDF: dict[str, Any] = {"idf": True, "sublinear": True, "dtype": "float32", "n_jobs": 1}
PEER_COSTS = (0.1, 1.0, 10.0)
THRESHOLDS = np.arange(-10, 5) / 20
PEER = "scikit-learn tf-idf + LinearSVC"
AREA = "area under the curve in %"
MEAN = "dna, mean of eleven sets"
FASTSK_SOURCE = (
    "Blakely et al. 2020, FastSK's exact kernel, in the summary of results of their repository, whose grid "
    "search looks at the test part"
)


def dna_classifier(X: Sequence[str], seed: int) -> SequenceSVC:
    """Gapped k-mers on both strands, by one of several kernels; the cost was chosen for a hinge without bias."""
    kernels = dna_kernels(X, n_jobs=1)
    return SequenceSVC(kernels, C=DNA_COST, loss="hinge", bias=False, random_state=seed, n_jobs=1)


def in_words(kernel: Any) -> str:
    """A kernel for DNA.

    Examples
    --------
    >>> for kernel in dna_kernels(["ACGTACGTACGT"]):
    ...     print(in_words(kernel))
    gapped k-mers (10, 6)
    gapped k-mers (10, 6), half-life 50
    estimated counts (11, 7)
    estimated counts (11, 7), half-life 50
    gapped k-mers (10, 6), half-life 50 + estimated counts (11, 7), half-life 50
    """
    if isinstance(kernel, KernelSum):
        return f"{in_words(kernel.left)} + {in_words(kernel.right)}"
    windows = kernel.kernel
    name = "estimated counts" if windows.filtered else "gapped k-mers"
    near = "" if windows.half_life is None else f", half-life {windows.half_life:g}"
    return f"{name} ({windows.g}, {windows.k}){near}"


def protein_classifier(seed: int) -> SequenceSVC:
    """Local alignments, and windows of five letters of which three count, with all training sequences."""
    grams = Normalized(GappedKMerKernel(5, 3, dtype="float32", n_jobs=1))
    kernel = EmpiricalKernelMap(Normalized(LocalAlignmentKernel(n_jobs=1)) + grams)
    options: dict[str, Any] = {"loss": "squared_hinge", "bias": True, "class_weight": "balanced"}
    return SequenceSVC(kernel, C=PROTEIN_COST, random_state=seed, n_jobs=1, **options)


def some_of(labels: Any, most: int, seed: int) -> Any:
    """Numbers of about `most` examples, of each class its share, but enough of it for all folds.

    Examples
    --------
    >>> some_of(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1]), 6, 0)[-3:].tolist()
    [6, 7, 8]
    """
    random, found = np.random.default_rng(seed), []
    for label in np.unique(labels):
        members = random.permutation(np.flatnonzero(labels == label))
        found.append(members[: max(N_FOLDS, round(most * len(members) / len(labels)))])
    return np.sort(np.concatenate(found))


def area(classifier: Any, X: Sequence[str], y: Any) -> float:
    """Area under the curve in %."""
    return 100.0 * float(roc_auc_score(y, classifier.decision_function(X)))


def measured(classifier: Any, train: Any, test: Any) -> tuple[float, float]:
    """Area on the test part, and the seconds of one processor that fitting and predicting took."""
    began = time.process_time()
    score = area(classifier.fit(train[0], train[1]), *test)
    return score, time.process_time() - began


def row_of_task(task: str, size: int | None, seed: int) -> Row:
    """Both sides on one set of FastSK, or on a part of it."""
    train, test = (_part(task, part, size, seed) for part in ("train", "test"))
    chosen = some_of(train[1], MOST, seed)
    X, y = [train[0][i] for i in chosen], train[1][chosen]
    cv = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    if task.startswith("dna"):
        classifier, grams = dna_classifier(train[0], seed), DNA_GRAMS
    else:
        classifier, grams = protein_classifier(seed), PROTEIN_GRAMS
    clone(classifier).fit(X[:6] + X[-6:], [0] * 6 + [1] * 6)  # so that compiling takes no part of the seconds
    score, seconds = measured(classifier, train, test)
    if task.startswith("dna"):
        settings = f"{in_words(classifier.kernel_)} on both strands, C = {DNA_COST:g}"
        assert classifier.kernel_scores_ is not None, "there were several kernels"
        scores = ", ".join(f"{100 * each:.2f}" for each in classifier.kernel_scores_)
        origin = f"one of several kernels by folds of its own training part ({scores}), C by folds of nine of them"
    else:
        settings = f"rows of the matrix of local alignments and gapped k-mers (5, 3), balanced, C = {PROTEIN_COST:g}"
        origin = "kernel by families left out of ten training parts: weft reproduce protein-kernels"
    peer_score, peer_seconds = measured(peer_classifier(X, y, grams, cv, seed), train, test)
    published = FASTSK.get(task)
    beside = (PEER, peer_score, peer_seconds, published, FASTSK_SOURCE if published else "")
    return Row(_name(task), AREA, score, seconds, settings, origin, *beside)


def row_of_ls_gkm(task: str, size: int | None, seed: int) -> Row:
    """What LS-GKM by its defaults has on one set of FastSK, or on a part of it."""
    train, test = (_part(task, part, size, seed) for part in ("train", "test"))
    return ls_gkm_row(_name(task), AREA, train, test)


def peer_classifier(X: Sequence[str], y: Any, grams: Sequence[tuple[int, int]], cv: Any, seed: int) -> Any:
    """n-grams of characters by tf-idf, and a linear SVM; lengths and cost by folds."""
    tried, pipes = [], []
    for lengths in grams:
        vectors = TfidfVectorizer(analyzer="char", lowercase=False, sublinear_tf=True, ngram_range=lengths)
        features = vectors.fit_transform(X)
        for cost in PEER_COSTS:
            linear = LinearSVC(C=cost, class_weight="balanced", max_iter=10_000, random_state=seed)
            tried.append(cross_val_score(linear, features, y, scoring="roc_auc", cv=cv).mean())
            pipes.append(make_pipeline(vectors, linear))
    return pipes[int(ordered(tried)[0])]


def _name(task: str) -> str:
    return task.replace("_", " ", 1)


def _part(task: str, part: Any, size: int | None, seed: int) -> tuple[list[str], Any]:
    data = load_fastsk(task, part)
    chosen = np.arange(len(data.labels)) if size is None else some_of(data.labels, size, seed)
    return [data.sequences[i] for i in chosen], np.asarray(data.labels)[chosen]


def best_threshold(signs: Floats, decisions: Floats) -> float:
    """The threshold of decisions, the same for all classes, with the largest micro F1.

    Examples
    --------
    >>> best_threshold(np.array([[1.0, 1.0, -1.0]]), np.array([[0.5, -0.1, -0.32]]))
    -0.3
    """
    return float(THRESHOLDS[int(ordered([micro_f1(signs, decisions - each) for each in THRESHOLDS])[0])])


def with_threshold(
    decide: Callable[[Any, Any], Floats], signs: Floats, seed: int
) -> tuple[float, Callable[[], Floats]]:
    """A threshold by decisions about folds, and what gives decisions about the test part."""
    n = signs.shape[1]
    fold = np.random.default_rng(seed).permutation(n) % N_FOLDS
    found = np.empty_like(signs)
    for each in range(N_FOLDS):
        found[:, fold == each] = decide(np.flatnonzero(fold != each), np.flatnonzero(fold == each))
    return best_threshold(signs, found), lambda: decide(np.arange(n), None)


def news_rows(train: list[str], test: list[str]) -> tuple[csr_array, csr_array]:
    """tf-idf of words and of runs of four characters, each of length 1, and a constant."""
    parts = []
    for kernel, read in ((NGramKernel(1, **TF_IDF), words), (NGramKernel(4, **TF_IDF), list)):
        mapped, rows = Normalized(kernel).feature_map(read(train))
        parts.append((rows, mapped.transform(read(test))))
    constants = [csr_array(np.ones((len(texts), 1), dtype=np.float32)) for texts in (train, test)]
    first, second = (hstack([*each], format="csr") for each in zip(*parts, constants, strict=True))
    return first, second


def words(texts: Sequence[str]) -> list[list[str]]:
    """Runs of letters and digits.

    Examples
    --------
    >>> words(["oil up 3.5 pct"])
    [['oil', 'up', '3', '5', 'pct']]
    """
    return [re.findall(r"[a-z0-9]+", text) for text in texts]


def row_of_news(size: int | None, seed: int) -> Row:
    """Ten classes of Reuters, one against the rest each."""
    (train, signs), (test, wanted) = stories("train", size), stories("test", size)
    began = time.process_time()
    rows, others = news_rows(train, test)

    def ours(kept: Any, held_out: Any) -> Floats:
        own = SparseRows.from_matrix(rows[kept])
        about = others if held_out is None else rows[held_out]
        return np.array([about @ solve_svm(own, each, NEWS_COST).weights for each in signs[:, kept]])

    threshold, decide = with_threshold(ours, signs, seed)
    score = micro_f1(wanted, decide() - threshold)
    seconds, began = time.process_time() - began, time.process_time()
    vectors = TfidfVectorizer(sublinear_tf=True)
    peer_rows = vectors.fit_transform(train)

    def theirs(kept: Any, held_out: Any) -> Floats:
        about = vectors.transform(test) if held_out is None else peer_rows[held_out]
        return np.array(
            [
                LinearSVC(C=NEWS_COST, random_state=seed).fit(peer_rows[kept], each).decision_function(about)
                for each in signs[:, kept]
            ]
        )

    peer_threshold, decide = with_threshold(theirs, signs, seed)
    peer_score = micro_f1(wanted, decide() - peer_threshold)
    thresholds = f"threshold {threshold:g} (peer {peer_threshold:g})"
    settings = f"tf-idf of words and of 4-grams of characters, C = {NEWS_COST:g}, {thresholds}"
    origin = "kernel and C by folds of the training part, the threshold too, for both sides"
    beside = (PEER, peer_score, time.process_time() - began, 92.0, "Dumais et al. 1998, linear SVM, break-even point")
    return Row("Reuters, ten classes", "micro F1 in %", score, seconds, settings, origin, *beside)


def rows(quick: bool, seed: int, progress: Progress) -> list[Row]:
    """Ten classes of Reuters, 11 sets of DNA and their mean, 12 of proteins; a quick run takes two small parts."""
    progress("Reuters")
    found = [kept_row("Reuters", row_of_news, 400 if quick else None, seed)]
    size = 60 if quick else None
    for task in ("dna_CTCF", "scop_1.34") if quick else FASTSK_TASKS:
        progress(task)
        found.append(kept_row(task, row_of_task, task, size, seed))
        if task.startswith("dna"):
            found.append(kept_row(f"{task} LS-GKM", row_of_ls_gkm, task, size, seed))
    sites = [row for row in found if row.data.startswith("dna")]
    if not quick:
        found += mean_rows(MEAN, sites, ("weft", LS_GKM))
    return found
