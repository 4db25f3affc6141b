"""Joined columns keep the kernel matrix, the dual variables and, once spread again, the weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.kernel_methods.svm import merged_columns
from weft.kernel_methods.svm.descent import solve_svm
from weft.kernel_methods.svm.merged_columns import RARE, MergedRows, merge_columns
from weft.kernel_methods.svm.one_vs_rest import Settings, Task, solve_features
from weft.kernel_methods.svm.sparse_rows import SparseRows


def repeated_columns(seed, n_rows=30, dtype=np.float64, integral=True):
    """Columns that occur several times each, some of them in one row only."""
    random = np.random.default_rng(seed)
    distinct = np.ceil(3 * random.random((n_rows, 12))) if integral else random.random((n_rows, 12)).astype(dtype)
    distinct[random.random(distinct.shape) < 0.7] = 0.0
    alone = np.diag(random.integers(0, 3, n_rows).astype(float))
    matrix = np.hstack([distinct, alone])[:, random.integers(0, 12 + n_rows, 90)]
    signs = np.where(random.random(n_rows) < 0.5, 1.0, -1.0)
    return csr_array(matrix), signs


def dense(merged, values):
    shape = (len(merged.indptr) - 1, len(merged.sizes))
    return csr_array((values, merged.columns.astype(np.int32), merged.indptr), shape).toarray()


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_kernel_matrix_is_exactly_that_of_all_columns(seed):
    matrix, _ = repeated_columns(seed)
    merged = merge_columns(SparseRows.from_matrix(matrix))
    gram = dense(merged, merged.values) @ dense(merged, merged.products).T + np.diag(merged.own)
    np.testing.assert_array_equal(gram, (matrix @ matrix.T).toarray())
    np.testing.assert_array_equal(merged.norms, (matrix @ matrix.T).diagonal())
    columns = [tuple(column) for column in matrix.toarray().T if np.count_nonzero(column) > 1]
    rare = {column for column in columns if np.count_nonzero(column) <= RARE}
    assert len(merged.sizes) == len(rare) + sum(np.count_nonzero(column) > RARE for column in columns)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["hinge", "squared_hinge"]), st.floats(0.01, 10.0))
def test_same_passes_same_dual_variables_same_weights(seed, loss, C):
    matrix, signs = repeated_columns(seed)
    rows = SparseRows.from_matrix(matrix)
    options = {"loss": loss, "tol": 1e-7, "max_passes": 100_000}
    plain, merged = (solve_svm(form, signs, C, **options) for form in (MergedRows.unmerged(rows), merge_columns(rows)))
    if loss == "squared_hinge":  # with a hinge, equal rows may share their dual variables out in any way
        np.testing.assert_allclose(merged.alpha, plain.alpha, atol=1e-6)
    np.testing.assert_allclose(merged.weights, plain.weights, atol=1e-6)
    np.testing.assert_allclose(merged.weights, matrix.T @ (merged.alpha * signs), atol=1e-10)
    assert merged.objective == pytest.approx(plain.objective, rel=1e-6)
    slack = np.maximum(0.0, 1.0 - signs * (matrix @ merged.weights))
    loss_sum = slack.sum() if loss == "hinge" else (slack**2).sum()
    assert merged.objective == pytest.approx(0.5 * merged.weights @ merged.weights + C * loss_sum, rel=1e-9)
    assert -1e-9 <= merged.gap <= 1e-4 * max(1.0, merged.objective)


def test_numbers_that_32_bits_cannot_multiply_become_wider():
    matrix, signs = repeated_columns(1, dtype=np.float32, integral=False)
    rows = SparseRows.from_matrix(matrix)
    merged = merge_columns(rows)
    assert rows.values.dtype == np.float32
    assert merged.values.dtype == merged.products.dtype == np.float64
    assert merged.sizes.max() > 2
    np.testing.assert_allclose(
        solve_svm(merged, signs, tol=1e-8, max_passes=100_000).weights,
        solve_svm(rows, signs, tol=1e-8, max_passes=100_000).weights,
        atol=1e-6,
    )


def test_warm_start_on_joined_columns_is_where_it_ended():
    matrix, signs = repeated_columns(2)
    merged = merge_columns(SparseRows.from_matrix(matrix))
    cold = solve_svm(merged, signs, tol=1e-4)
    warm = solve_svm(merged, signs, tol=1e-4, alpha=cold.alpha)
    assert warm.n_passes <= 3 < cold.n_passes
    np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-3)


def test_collision_of_hashes_leaves_the_rows_as_they_were(monkeypatch):
    matrix, _ = repeated_columns(3)
    rows = SparseRows.from_matrix(matrix)
    monkeypatch.setattr(merged_columns, "column_marks", lambda *rest: np.zeros(rows.n_columns, dtype=np.uint64))
    assert merge_columns(rows).columns is rows.columns


def test_columns_are_joined_by_themselves_where_there_are_many(monkeypatch):
    matrix, signs = repeated_columns(4)
    task = Task(signs, np.ones(len(signs)), seed=0)
    alone, _ = solve_features(matrix, [task], Settings(tol=1e-6))
    calls = []

    def counted(rows):
        calls.append(rows.n_columns)
        return merge_columns(rows)

    monkeypatch.setattr(merged_columns, "MANY", 10)
    monkeypatch.setattr("weft.kernel_methods.svm.one_vs_rest.merge_columns", counted)
    joined, _ = solve_features(matrix, [task, task], Settings(tol=1e-6))
    assert calls == [90]
    np.testing.assert_allclose(joined[1].weights, alone[0].weights, atol=1e-4)


def test_base_speaks_for_every_column():
    matrix, signs = repeated_columns(5)
    base = np.random.default_rng(5).normal(size=matrix.shape[1])
    rows = SparseRows.from_matrix(matrix)
    first, second = (solve_svm(form, signs, tol=1e-8, base=base) for form in (rows, merge_columns(rows)))
    np.testing.assert_array_equal(first.weights, second.weights)
