"""Tests of `weft.kernels.empirical`."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import weft
from weft import (
    EmpiricalKernelMap,
    GappedKMerKernel,
    InputError,
    NGramKernel,
    Normalized,
    SequenceSVC,
    SubsequenceKernel,
)

X, Y = ["gattaca", "gattcca", "cattaga", "cagtaga", "gataaca", "catgaga"], list("ababab")
OTHERS = ["gatt", "", "xyz", "cagaga"]


@pytest.mark.parametrize(
    "kernel",
    [
        NGramKernel(2),
        Normalized(GappedKMerKernel(3, 2, dtype="float32")),
        SubsequenceKernel(2),
        NGramKernel(2) + Normalized(SubsequenceKernel(2)),
    ],
    ids=str,
)
def test_rows_are_those_of_the_kernel_matrix(kernel):
    mapped, rows = EmpiricalKernelMap(kernel).feature_map(X)
    np.testing.assert_allclose(rows.toarray(), kernel.gram(X), rtol=1e-6)
    np.testing.assert_allclose(mapped.transform(OTHERS).toarray(), kernel.gram(OTHERS, X), rtol=1e-6)
    square = kernel.gram(X) @ kernel.gram(X)
    np.testing.assert_allclose(EmpiricalKernelMap(kernel).gram(X), square, rtol=1e-6)
    np.testing.assert_allclose(EmpiricalKernelMap(kernel).diagonal(X), np.diag(square), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
@pytest.mark.parametrize("kernel", [Normalized(NGramKernel(2)), Normalized(SubsequenceKernel(2))], ids=str)
def test_a_classifier_is_a_linear_one_on_the_matrix(kernel):
    svc = SequenceSVC(
        EmpiricalKernelMap(kernel), C=0.5, loss="squared_hinge", bias=True, tol=1e-8, max_iter=10_000, random_state=0
    ).fit(X, Y)
    linear = LinearSVC(C=0.5, tol=1e-8, max_iter=100_000, random_state=0).fit(kernel.gram(X), Y)
    np.testing.assert_allclose(
        svc.decision_function(OTHERS), linear.decision_function(kernel.gram(OTHERS, X)), atol=1e-5
    )


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
def test_a_classifier_is_the_same_after_saving(tmp_path):
    files = []
    for n_jobs in (1, 2):
        kernel = EmpiricalKernelMap(Normalized(NGramKernel(2, n_jobs=n_jobs)))
        svc = SequenceSVC(kernel, C=1.0, min_count=3, random_state=0, n_jobs=n_jobs).fit(X, Y)
        weft.save(svc, tmp_path / "one.weft")
        again = weft.load(tmp_path / "one.weft")
        np.testing.assert_array_equal(again.decision_function(OTHERS), svc.decision_function(OTHERS))
        weft.save(again, tmp_path / "two.weft")
        files += [(tmp_path / name).read_bytes() for name in ("one.weft", "two.weft")]
    assert all(file == files[0] for file in files)


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
@pytest.mark.parametrize("form", [str, list], ids=["strings", "tokens"])
def test_training_examples_of_a_kernel_without_features_are_saved(tmp_path, form):
    inputs, others = [form(x) for x in X], [form(x) for x in OTHERS]
    svc = SequenceSVC(EmpiricalKernelMap(SubsequenceKernel(2)), C=1.0, random_state=0).fit(inputs, Y)
    some = svc.features_.selected(np.array([1, 4]))
    np.testing.assert_array_equal(
        some.transform(others).toarray(), svc.features_.transform(others).toarray()[:, [1, 4]]
    )
    weft.save(svc, tmp_path / "svc.weft")
    again = weft.load(tmp_path / "svc.weft")
    np.testing.assert_array_equal(again.decision_function(others), svc.decision_function(others))
    assert svc.top_features("a", 1)[0][0].startswith("example ")


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(InputError, match="columns from training data"):
        EmpiricalKernelMap(NGramKernel(2)).gram(X, OTHERS)
