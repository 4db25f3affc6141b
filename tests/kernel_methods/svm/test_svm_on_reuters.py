"""Real data: time and objective against LIBLINEAR, and what the storages of W' take; run with -s to see figures.

Times are of the processor and not of the clock, so that other programs on the machine matter less.
"""

import time

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

import weft
from weft import datasets
from weft.kernel_methods.svm.descent import SparseRows, solve_svm
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.kinds import new_storage, sorted_rows

pytestmark = [pytest.mark.slow, pytest.mark.needs_data("reuters21578")]

RUNS = 3


@pytest.fixture(scope="module")
def stories():
    found = [*datasets.load_reuters21578("train"), *datasets.load_reuters21578("test")]
    texts = [" ".join(f"{story.title} {story.body}".split()).lower() for story in found]
    return texts, np.array([1.0 if "acq" in story.topics else -1.0 for story in found])


def objective(matrix, signs, weights):
    return 0.5 * weights @ weights + np.maximum(0.0, 1.0 - signs * (matrix @ weights)).sum()


@pytest.mark.parametrize("n", [4, 7])
def test_training_takes_no_longer_than_liblinear_for_the_same_objective(stories, n):
    texts, signs = stories
    matrix = csr_matrix(weft.NGramKernel(n).features(texts))
    solve_svm(matrix[:100], signs[:100])  # compiles
    seconds = {"weft": [], "LIBLINEAR": []}
    objectives = {"weft": [], "LIBLINEAR": []}
    for seed in range(RUNS):
        began = time.process_time()
        found = solve_svm(matrix, signs, tol=1e-4, random=np.random.default_rng(seed))
        seconds["weft"].append(time.process_time() - began)
        objectives["weft"].append(found.objective)
        peer = LinearSVC(loss="hinge", dual=True, fit_intercept=False, tol=1e-4, random_state=seed)
        began = time.process_time()
        peer.fit(matrix, signs)
        seconds["LIBLINEAR"].append(time.process_time() - began)
        objectives["LIBLINEAR"].append(objective(matrix, signs, peer.coef_[0]))
        assert found.converged
    ratio = np.median(seconds["weft"]) / np.median(seconds["LIBLINEAR"])
    print(f"\n{n}-grams: CPU seconds {seconds}, ratio {ratio:.2f}, objectives {objectives}")
    assert ratio <= 1.0
    np.testing.assert_allclose(objectives["weft"], objectives["LIBLINEAR"], rtol=1e-3)


def test_sizes_and_updates_of_the_storages(stories):
    texts, signs = stories
    mapped, matrix = weft.NGramKernel(4).feature_map(texts)
    keys = KeySet.from_names(mapped.names())
    rows = sorted_rows(matrix, keys)
    solution = solve_svm(rows, signs, tol=1e-2)
    steps = solution.alpha * signs
    support = np.flatnonzero(steps).tolist()
    seconds, sizes = {}, {}
    for kind in ("trie", "minimal"):
        new_storage(kind, keys, rows).add(0, rows.columns[:5], rows.values[:5], 1.0)  # compiles
        storage = new_storage(kind, keys, rows)
        began = time.process_time()
        for i in support:
            part = slice(rows.indptr[i], rows.indptr[i + 1])
            storage.add(i, rows.columns[part], rows.values[part], steps[i])
        seconds[kind], sizes[kind] = time.process_time() - began, storage.size()
        np.testing.assert_allclose(storage.weights(), solution.weights, atol=1e-9)
    everything = SparseRows.from_matrix(csr_matrix(np.ones((1, len(keys)))))
    for kind in ("trie", "hash"):
        storage = new_storage(kind, keys, rows)
        storage.add(0, everything.columns, everything.values, 1.0)
        sizes[f"{kind} of all keys"] = storage.size()
    print(f"\n{len(keys)} 4-grams, {len(support)} updates: CPU seconds {seconds}, sizes {sizes}")
    assert seconds["minimal"] <= 20.0 * seconds["trie"]
    assert sizes["minimal"].states < 0.5 * sizes["trie"].states
    assert 2 * sizes["hash of all keys"].bytes <= sizes["trie of all keys"].bytes
