"""SVMs on string kernels: against scikit-learn, against SMO, and the ways to keep W' against each other."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data import data_file
from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

QUICK = 500
ORDERS = (4, 5, 6, 7)
TOLERANCE = 1e-4
SMO_SECONDS = 150.0
"""Processor time after which SMO is stopped; its time is then a lower bound."""
PASSES = 20


@dataclass
class Texts:
    """Texts and signs to train on, and others to test on."""

    train: list[str]
    signs: Any
    test: list[str]
    test_signs: Any

    @property
    def letters(self) -> int:
        return sum(map(len, self.train))


def reuters(quick: bool) -> Texts:
    """All 12,902 stories of the ModApte split with single blanks and small letters, as CountVectorizer wants them."""
    import numpy as np

    texts, signs = [], []
    with gzip.open(data_file("reuters21578", "reuters21578_modapte.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            story = json.loads(line)
            texts.append(" ".join(f"{story['title']} {story['body']}".split()).lower())
            signs.append(1.0 if "acq" in story["topics"] else -1.0)
    size = QUICK if quick else len(texts)
    return Texts(texts[:size], np.array(signs[:size]), [], np.array([]))


def ctcf(quick: bool) -> Texts:
    """Binding sites of CTCF (FastSK): 2,000 sequences of 100 bases to train, as many to test."""
    import numpy as np

    parts: list[Any] = []
    for part in ("train", "test"):
        with gzip.open(data_file("fastsk", f"dna_CTCF.{part}.tsv.gz"), "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        rows = [row for row in rows if row[0] in ("0", "1")]
        rows = rows[:: len(rows) // QUICK] if quick else rows
        parts += [[row[1] for row in rows], np.array([1.0 if row[0] == "1" else -1.0 for row in rows])]
    return Texts(*parts)


def objective(matrix: Any, signs: Any, weights: Any) -> float:
    """Primal value for C = 1."""
    import numpy as np

    return float(0.5 * weights @ weights + np.maximum(0.0, 1.0 - signs * (matrix @ weights)).sum())


def warm_up() -> None:
    """Compile all that is measured."""
    import numpy as np

    import weft
    from weft.kernel_methods.svm.merged_columns import merge_columns
    from weft.kernel_methods.svm.sparse_rows import SparseRows

    texts = [f"some text number {i}, of which there are a few; {i * i}" for i in range(40)]
    signs = np.resize([1.0, -1.0], 40)
    for n in (4, 7, 10):
        train_weft(weft.NGramKernel(n), texts, signs)
    merge_columns(SparseRows.from_matrix(weft.NGramKernel(4).features(texts)))
    train_weft(weft.GappyKernel(4, 0.5, max_gap=4, dtype="float32"), texts, signs)
    kernel = weft.Normalized(weft.GappedKMerKernel(8, 6, reverse_complement=True, dtype="float32"))
    mapped, _ = kernel.feature_map(["GATTACAGATTACA", "CATTAGCATTAG"])
    mapped.transform(["GATTACAGATTACA"])


def train_weft(kernel: Any, texts: list[str], signs: Any) -> Any:
    from weft.kernel_methods.svm.descent import solve_svm

    return solve_svm(kernel.features(texts), signs, 1.0, tol=TOLERANCE)


# ------------------------------------------------------------------------------------------ text to model


def sklearn_text(data: Texts, meter: Meter, n: int) -> dict[str, float]:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.svm import LinearSVC

    model = LinearSVC(loss="hinge", dual=True, fit_intercept=False, tol=TOLERANCE, random_state=0, max_iter=1000)
    with meter.phase("text to model", tokens=data.letters):
        with meter.phase("features", tokens=data.letters):
            rows = CountVectorizer(analyzer="char", ngram_range=(n, n), lowercase=False).fit_transform(data.train)
        with meter.phase("train", tokens=rows.nnz):
            model.fit(rows, data.signs)
    value = objective(rows, data.signs, model.coef_[0])
    return {"features": float(rows.shape[1]), "objective": value, "passes": float(model.n_iter_)}


def weft_text(data: Texts, meter: Meter, n: int) -> dict[str, float]:
    import numpy as np

    import weft
    from weft.kernel_methods.svm.descent import solve_svm

    with meter.phase("text to model", tokens=data.letters):
        with meter.phase("features", tokens=data.letters):
            rows = weft.NGramKernel(n).features(data.train)
        with meter.phase("train", tokens=rows.nnz):
            found = solve_svm(rows, data.signs, 1.0, tol=TOLERANCE, random=np.random.default_rng(0))
    value = objective(rows, data.signs, found.weights)
    return {"features": float(rows.shape[1]), "objective": value, "passes": float(found.n_passes)}


# --------------------------------------------------------------------------------- kernel matrices, features apart


def smo(data: Texts, meter: Meter, n: int) -> dict[str, float]:
    """Pairs by second-order information; rows on demand, as many kept as LIBSVM keeps in its 100 MB."""
    import time

    import weft
    from weft.kernel_methods.svm.smo import KernelRows, solve_smo

    rows = weft.NGramKernel(n).features(data.train)
    began = time.process_time()
    with meter.phase("train", tokens=rows.nnz):
        kernel_rows = KernelRows.of_features(rows, 200_000_000)
        found = solve_smo(
            kernel_rows,
            data.signs,
            1.0,
            offset=True,
            tol=1e-3,
            report=lambda steps, value: time.process_time() - began > SMO_SECONDS,
        )
    return {"converged": float(found.converged), "kernel rows computed": float(kernel_rows.n_computed)}


def svc(data: Texts, meter: Meter, n: int) -> dict[str, float]:
    """scikit-learn's SVC on the whole kernel matrix, which weft computes: its product of sparse rows is the faster."""
    from sklearn.svm import SVC

    import weft
    from weft.kernels.gram_matrix import product_with_transpose

    rows = weft.NGramKernel(n).features(data.train)
    with meter.phase("train", tokens=rows.nnz):
        with meter.phase("Gram matrix"):
            gram = product_with_transpose(rows, rows, 1)
        SVC(kernel="precomputed", C=1.0, tol=1e-3).fit(gram, data.signs)
    return {"converged": 1.0}


def descent(data: Texts, meter: Meter, n: int) -> dict[str, float]:
    import weft
    from weft.kernel_methods.svm.descent import solve_svm

    rows = weft.NGramKernel(n).features(data.train)
    with meter.phase("train", tokens=rows.nnz):
        found = solve_svm(rows, data.signs, 1.0, tol=1e-3)
    return {"converged": float(found.converged)}


def gradients(data: Texts, meter: Meter, n: int) -> dict[str, float]:
    """Passes over all examples, none left out: one gradient each, and an update where it moves alpha."""
    import numpy as np

    import weft
    from weft.kernel_methods.svm.loops.descent import PROGRESS_SIZE, passes
    from weft.kernel_methods.svm.merged_columns import merge_columns
    from weft.kernel_methods.svm.sparse_rows import SparseRows

    rows = SparseRows.from_matrix(weft.NGramKernel(n).features(data.train))
    with meter.phase("merge columns", tokens=len(rows.columns)):
        merged = merge_columns(rows)
    n_rows = rows.n_rows
    upper, alpha, weights = np.ones(n_rows), np.zeros(n_rows), np.zeros(len(merged.sizes))
    state, order = np.ones(1, dtype=np.uint64), np.arange(n_rows, dtype=np.int32)
    with meter.phase("passes", tokens=PASSES * n_rows):
        for _ in range(PASSES):
            progress = np.array([n_rows, np.inf, -np.inf] + [0.0] * (PROGRESS_SIZE - 3))
            passes(
                merged.indptr, merged.columns, merged.values, merged.products, data.signs, upper, merged.own,
                merged.norms, alpha, weights, order, state, progress, 0.0, 1,
            )  # fmt: skip
    seconds = meter.phases["passes"].cpu / PASSES
    return {
        "n-grams": float(len(rows.columns)),
        "columns": float(rows.n_columns),
        "columns left": float(len(merged.sizes)),
        "entries left": float(len(merged.columns)),
        "CPU us per gradient": 1e6 * seconds / n_rows,
        "CPU ns per n-gram": 1e9 * seconds / len(rows.columns),
    }


# --------------------------------------------------------------------------------------------- storages of W'


def storage(data: Texts, meter: Meter, kind: str, n: int, all_keys: bool) -> dict[str, float]:
    """Add the support vectors of a trained model one by one, or every n-gram at once."""
    import numpy as np

    import weft
    from weft.kernel_methods.svm.descent import solve_svm
    from weft.kernel_methods.svm.storages.keys import KeySet
    from weft.kernel_methods.svm.storages.kinds import new_storage, sorted_rows

    mapped, matrix = weft.NGramKernel(n).feature_map(data.train)
    keys = KeySet.from_names(mapped.names())
    rows = sorted_rows(matrix, keys)
    new_storage(kind, keys, rows).add(0, rows.columns[:5], rows.values[:5], 1.0)  # compiles
    found = solve_svm(rows, data.signs, 1.0, tol=1e-3)
    kept = new_storage(kind, keys, rows)
    steps = found.alpha * data.signs
    if all_keys:
        with meter.phase("fill", tokens=len(keys)):
            kept.add(0, np.arange(len(keys), dtype=np.uint32), np.ones(len(keys), dtype=np.float32), 1.0)
    else:
        support = np.flatnonzero(steps).tolist()
        with meter.phase("updates", tokens=int(np.diff(rows.indptr)[support].sum())):
            for i in support:
                part = slice(rows.indptr[i], rows.indptr[i + 1])
                kept.add(i, rows.columns[part], rows.values[part], steps[i])
    size = kept.size()
    return {"states": float(size.states), "transitions": float(size.transitions), "bytes": float(size.bytes)}


def features_only(data: Texts, meter: Meter, gappy: bool) -> dict[str, float]:
    """4-grams with and without gaps: time and, above all, memory."""
    import weft

    kernel = weft.GappyKernel(4, 0.5, max_gap=4, dtype="float32") if gappy else weft.NGramKernel(4, dtype="float32")
    with meter.phase("features", tokens=data.letters):
        rows = kernel.features(data.train)
    return {"entries": float(rows.nnz), "features": float(rows.shape[1])}


# ------------------------------------------------------------------------------------------------------- DNA


def pairs_per_second(data: Texts, meter: Meter) -> dict[str, float]:
    """Entries of the training kernel matrix above its diagonal, over the time from text to model."""
    pairs = 0.5 * len(data.train) * (len(data.train) - 1) / 1e6
    phase = meter.phases["text to model"]
    return {"million pairs / s": pairs / phase.wall, "million pairs / CPU s": pairs / phase.cpu}


def sklearn_dna(data: Texts, meter: Meter) -> dict[str, float]:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics import roc_auc_score
    from sklearn.preprocessing import normalize
    from sklearn.svm import LinearSVC

    counts = CountVectorizer(analyzer="char", ngram_range=(8, 8), lowercase=False)
    with meter.phase("text to model", tokens=data.letters):
        model = LinearSVC(loss="hinge", random_state=0).fit(normalize(counts.fit_transform(data.train)), data.signs)
    decisions = model.decision_function(normalize(counts.transform(data.test)))
    return {"AUC": float(roc_auc_score(data.test_signs, decisions)), **pairs_per_second(data, meter)}


def weft_dna(data: Texts, meter: Meter) -> dict[str, float]:
    from sklearn.metrics import roc_auc_score

    import weft
    from weft.kernel_methods.svm.descent import solve_svm

    kernel = weft.Normalized(weft.GappedKMerKernel(8, 6, reverse_complement=True, dtype="float32"))
    with meter.phase("text to model", tokens=data.letters):
        mapped, rows = kernel.feature_map(data.train)
        found = solve_svm(rows, data.signs, 1.0)
    decisions = mapped.transform(data.test) @ found.weights
    return {"AUC": float(roc_auc_score(data.test_signs, decisions)), **pairs_per_second(data, meter)}


def _reuters_entry(name: str, description: str, peer: Side, weft: Side) -> Entry:
    return Entry(f"classification-{name}", f"Reuters-21578, {description}", reuters, peer, weft)


ENTRIES = [
    *(
        _reuters_entry(
            f"text-{n}",
            f"{n}-grams from text to a model of acq, hinge loss without bias, tolerance {TOLERANCE:g}",
            Side("CountVectorizer, LinearSVC", partial(sklearn_text, n=n)),
            Side("weft", partial(weft_text, n=n), warm_up),
        )
        for n in ORDERS
    ),
    *(
        _reuters_entry(
            f"{name}-{n}",
            f"{n}-grams, features apart, all 12,902 stories: {title}",
            Side(title, partial(run, n=n), warm_up),
            Side("weft", partial(descent, n=n), warm_up),
        )
        for name, title, run in (("smo", "SMO with rows on demand", smo), ("svc", "SVC on the Gram matrix", svc))
        for n in ORDERS
    ),
    _reuters_entry(
        "order",
        f"{PASSES} passes of coordinate descent over 10-grams and over 4-grams, equal columns joined",
        Side("n = 4", partial(gradients, n=4), warm_up),
        Side("n = 10", partial(gradients, n=10), warm_up),
    ),
    _reuters_entry(
        "update",
        "4-grams: the support vectors added to W' one by one",
        Side("trie", partial(storage, kind="trie", n=4, all_keys=False), warm_up),
        Side("minimal automaton", partial(storage, kind="minimal", n=4, all_keys=False), warm_up),
    ),
    _reuters_entry(
        "hash",
        "4-grams: bytes of W' with a weight for every 4-gram",
        Side("trie", partial(storage, kind="trie", n=4, all_keys=True), warm_up),
        Side("perfect hash", partial(storage, kind="hash", n=4, all_keys=True), warm_up),
    ),
    _reuters_entry(
        "gappy",
        "features of 4-grams with at most 4 symbols skipped; peak memory",
        Side("without gaps", partial(features_only, gappy=False), warm_up),
        Side("gappy", partial(features_only, gappy=True), warm_up),
    ),
    Entry(
        "classification-ctcf",
        "CTCF binding sites (FastSK), gapped k-mers (8, 6) on both strands against 8-grams",
        ctcf,
        Side("CountVectorizer, LinearSVC", sklearn_dna),
        Side("weft", weft_dna, warm_up),
    ),
]
