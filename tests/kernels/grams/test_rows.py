"""Tests of `weft.kernels.grams.rows`."""

import numpy as np

from weft import GappyKernel
from weft.kernels.grams import rows as gram_rows


def test_rows_are_in_canonical_form():
    rows = GappyKernel(2, 0.5).features(["abcabcacb", "", "cba"])
    assert rows.has_canonical_format
    fresh = rows.copy()
    fresh.has_canonical_format = False
    fresh.sum_duplicates()
    np.testing.assert_array_equal(fresh.indices, rows.indices)
    assert rows.indptr.dtype == rows.indices.dtype == np.int32


def test_chunks_and_threads_change_nothing(monkeypatch):
    random = np.random.default_rng(0)
    X = ["".join(random.choice(list("abcd"), size)) for size in random.integers(0, 40, 60)]
    whole, rows = GappyKernel(3, 0.5, 3, n_jobs=1).feature_map(X)
    monkeypatch.setattr(gram_rows, "CHUNK", 500)
    monkeypatch.setattr(gram_rows, "BLOCK", 64)
    cut, cut_rows = GappyKernel(3, 0.5, 3, n_jobs=3).feature_map(X)
    assert cut.names() == whole.names()
    np.testing.assert_allclose(cut_rows.toarray(), rows.toarray())
    np.testing.assert_allclose(cut.transform(X).toarray(), rows.toarray())
    np.testing.assert_allclose(GappyKernel(3, 0.5, 3).diagonal(X), (rows.toarray() ** 2).sum(axis=1))
