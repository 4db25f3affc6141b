import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from weft import InputError, LinearKernel, NGramKernel, RBFKernel, SumKernel
from weft.kernel_methods.ridge import regressor as kernel_ridge
from weft.kernel_methods.ridge.path import RidgePath, solve_ridge
from weft.kernel_methods.ridge.regressor import KernelRidge

WORDS = ["abab", "ba", "aab", "bbb", "abba", "b", "aa", "babab"]


def data(n=30, d=3):
    random = np.random.default_rng(0)
    return random.normal(size=(n, d)), random.normal(size=(n, 2))


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (RBFKernel(0.3), data()[0]),
        (None, data()[0]),
        (LinearKernel(), data(30, 40)[0]),
        (NGramKernel(1), WORDS),
        (NGramKernel(3), WORDS),
        (SumKernel(), [np.ones((n, 2)) * n for n in (1, 2, 3)]),
    ],
    ids=str,
)
@pytest.mark.parametrize("alpha", [0.5, (0.1, 0.5, 2.0)], ids=str)
def test_predictions_are_those_of_the_dual(kernel, X, alpha):
    Y = np.random.default_rng(1).normal(size=(len(X), 2))
    model = KernelRidge(kernel, alpha, leave_one_out=True).fit(X, Y)
    gram = (LinearKernel() if kernel is None else kernel).gram(X)
    path = RidgePath(gram, Y)
    assert model.alpha_ == (alpha if isinstance(alpha, float) else path.best(alpha))
    np.testing.assert_allclose(model.predict(X), gram @ solve_ridge(gram, Y, model.alpha_), atol=1e-9)
    np.testing.assert_allclose(model.leave_one_out_, path.leave_one_out(model.alpha_), atol=1e-9)
    np.testing.assert_allclose(model.predict(X[:1])[0], model.predict(X)[0], atol=1e-9)


def test_the_smaller_system_is_solved():
    X, Y = data()
    assert KernelRidge().fit(X, Y).coefficients_.shape == (3, 2)
    assert KernelRidge(RBFKernel()).fit(X, Y).coefficients_.shape == (30, 2)
    assert KernelRidge(NGramKernel(1)).fit(WORDS, np.ones(8)).coefficients_.shape == (2,)
    assert KernelRidge(NGramKernel(4)).fit(WORDS[:3], np.ones(3)).basis_ is None


def test_approximations_keep_a_part_of_the_examples():
    X, Y = data()
    for approximation in ("greedy", "cholesky", "nystroem", "random"):
        model = KernelRidge(RBFKernel(0.3), 0.1, approximation=approximation, random_state=0).fit(X, Y)
        assert model.basis_.shape == (10, 3)
        assert model.predict(X).shape == (30, 2)
    assert len(KernelRidge(NGramKernel(2), approximation="greedy", n_basis=2).fit(WORDS, np.arange(8.0)).basis_) == 2


def test_predictions_do_not_depend_on_blocks(monkeypatch):
    X, Y = data()
    model = KernelRidge(RBFKernel(0.3)).fit(X, Y)
    whole = model.predict(X)
    monkeypatch.setattr(kernel_ridge, "ENTRIES", 70)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-12)
    assert model.predict(X[:0]).shape == (0, 2)


def test_fit_leaves_its_parameters_alone():
    kernel = RBFKernel(0.3)
    model = KernelRidge(kernel, 0.1)
    copy = clone(model).fit(*data())
    assert copy.kernel_ is not kernel
    assert clone(copy).get_params()["kernel__gamma"] == 0.3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: KernelRidge(alpha=object()).fit(*data()), "alpha=<object .* given; need a finite number"),
        (lambda: KernelRidge(alpha=np.array(3)).fit(*data()), r"alpha=array\(3\) given; need a finite number"),
        (lambda: KernelRidge().fit([[1.0]], [1.0, 2.0]), "1 examples but 2 targets"),
        (lambda: KernelRidge().fit(np.zeros((0, 2)), []), "no examples"),
        (lambda: KernelRidge(alpha=(1.0, 2.0), approximation="greedy").fit(*data()), "need one alpha"),
        (lambda: KernelRidge().fit(*data()).predict([[1.0]]), "vectors of 1 numbers given; need 3"),
    ],
)
def test_bad_regressions_are_refused_in_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_number_of_basis_functions_wants_an_approximation():
    with pytest.raises(InputError, match="n_basis=2 given without an approximation"):
        KernelRidge(NGramKernel(2), n_basis=2).fit(["ab", "b"], [1.0, 2.0])


@pytest.mark.parametrize("options", [{}, {"alpha": (0.1, 1.0)}, {"approximation": "cholesky", "n_basis": 60}])
def test_coefficients_do_not_hang_on_the_number_of_threads_of_the_library_of_linear_algebra(options):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 5)), random.normal(size=(300, 40))
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, "blas"):
            found.append(KernelRidge(RBFKernel(0.1), **options).fit(X, y).coefficients_.tobytes())
    assert found[0] == found[1]
