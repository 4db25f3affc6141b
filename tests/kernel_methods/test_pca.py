import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft import InputError, LinearKernel, PolynomialKernel
from weft.kernel_methods.pca import KernelComponents, gram_from_distances

GOLDEN_K1 = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
POINTS = arrays(np.float64, st.tuples(st.integers(2, 7), st.just(3)), elements=st.floats(-2, 2, width=16))


def test_golden_k1():
    found = KernelComponents().fit(GOLDEN_K1)
    np.testing.assert_allclose(found.eigenvalues_, [2 / 3, 2 / 9], rtol=1e-12)
    signs = np.sign(found.axes_[0])
    np.testing.assert_allclose(found.axes_ * signs, np.array([[0.5, 0, -0.5], [0.5, -1, 0.5]]).T, atol=1e-12)
    wanted = np.array([[1, 0, -1], [1 / 3, -2 / 3, 1 / 3]]).T
    np.testing.assert_allclose(found.coordinates_ * signs, wanted, atol=1e-12)
    np.testing.assert_allclose(found.project([[1.0, 1.0, 2.0]]) * signs, [[-0.5, 5 / 6]], atol=1e-12)


def test_golden_k1_differs_from_the_uncentred_projection():
    found = KernelComponents().fit(GOLDEN_K1)
    uncentred = np.array([1.0, 1.0, 2.0]) @ found.axes_
    assert abs(found.project([[1.0, 1.0, 2.0]])[0, 1]) == pytest.approx(5 / 6)
    assert abs(uncentred[1]) == pytest.approx(0.5)


@given(X=POINTS)
@settings(max_examples=30)
def test_linear_components_are_those_of_plain_pca(X):
    found = KernelComponents().fit(LinearKernel().gram(X))
    singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    n = len(found.eigenvalues_)
    np.testing.assert_allclose(found.eigenvalues_, singular[:n] ** 2 / len(X), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(singular[n:], 0.0, atol=1e-3)
    # Axes of far smaller eigenvalues magnify the rounding of their vectors.
    large = found.eigenvalues_ > 1e-6 * found.eigenvalues_.max(initial=0.0)
    projected = found.project(LinearKernel().gram(X))
    np.testing.assert_allclose(projected[:, large], found.coordinates_[:, large], atol=1e-5)


@given(X=POINTS, new=arrays(np.float64, (2, 3), elements=st.floats(-2, 2, width=16)))
@settings(max_examples=30)
def test_distances_in_feature_space_are_kept(X, new):
    """Projected distance plus residual is the distance by the kernel; components and expansions say the same."""
    X = X.round(1)  # points that are nearly one have components that are nearly none, and are left out
    kernel = PolynomialKernel(2, 0.5)
    found = KernelComponents().fit(kernel.gram(X))
    block = kernel.gram(new, X)
    projected, rest = found.project(block), found.residuals(block, kernel.diagonal(new))
    cross = kernel.gram(new, X)
    wanted = kernel.diagonal(new)[:, None] + kernel.diagonal(X) - 2 * cross
    squared = np.sum((projected[:, None] - found.coordinates_) ** 2, axis=2) + rest[:, None]
    np.testing.assert_allclose(squared, wanted, atol=1e-5 * max(1.0, np.abs(wanted).max()))
    np.testing.assert_allclose(found.expansion(projected).sum(axis=1), 1.0, atol=1e-8)


@given(X=POINTS)
@settings(max_examples=30)
def test_kernels_from_distances(X):
    distances = np.sqrt(np.sum((X[:, None] - X) ** 2, axis=2))
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(gram_from_distances(distances), centred @ centred.T, atol=1e-8)
    weights = np.zeros(len(X))
    weights[0] = 1.0
    moved = X - X[0]
    np.testing.assert_allclose(gram_from_distances(distances, weights), moved @ moved.T, atol=1e-8)
    by_distances = KernelComponents().fit(-0.5 * distances**2)
    np.testing.assert_allclose(by_distances.coordinates_ @ by_distances.coordinates_.T, centred @ centred.T, atol=1e-6)


def test_an_indefinite_kernel_is_reported_with_its_eigenvalue():
    distances = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])  # 5 > 1 + 1
    gram = -0.5 * distances**2
    lowest = np.linalg.eigvalsh(gram_from_distances(distances))[0] / 3
    assert lowest < -0.1
    with pytest.warns(UserWarning, match=f"most negative eigenvalue .* is {lowest:.6g}; such directions"):
        clipped = KernelComponents().fit(gram)
    assert clipped.lowest_eigenvalue_ == pytest.approx(lowest)
    assert (clipped.eigenvalues_ > 0).all()
    with pytest.raises(InputError, match=f"is {lowest:.6g}; need an inner product"):
        KernelComponents(negative="raise").fit(gram)
    with pytest.warns(UserWarning, match="is added to all"):
        shifted = KernelComponents(negative="shift").fit(gram)
    z = shifted.coordinates_
    squared = np.sum((z[:, None] - z) ** 2, axis=2)
    constant = squared - distances**2
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(constant[off], -2 * 3 * lowest, rtol=1e-9)


def test_a_shifted_kernel_projects_training_outputs_onto_themselves():
    """With outputs that repeat: the kernel is that of the distances, and a constant between outputs that differ."""
    random = np.random.default_rng(0)
    distances = np.abs(random.normal(size=(6, 6)))
    distances = np.triu(distances, 1) + np.triu(distances, 1).T
    numbers = np.array([0, 1, 2, 3, 4, 5, 2, 0])
    gram = -0.5 * distances[np.ix_(numbers, numbers)] ** 2
    with pytest.warns(UserWarning, match="is added to all"):
        found = KernelComponents(negative="shift").fit(gram, numbers)
    equal = numbers[:, None] == numbers
    np.testing.assert_allclose(found.project(gram, equal), found.coordinates_, atol=1e-9)
    np.testing.assert_allclose(found.residuals(gram, np.diag(gram), equal), 0.0, atol=1e-9)
    z = found.coordinates_
    squared = np.sum((z[:, None] - z) ** 2, axis=2)
    wanted = distances[np.ix_(numbers, numbers)] ** 2 + 2 * found.shift_ * ~equal
    np.testing.assert_allclose(squared, wanted, atol=1e-9)
    # No smaller shift would do.
    centre = np.eye(6) - 1 / 6
    assert np.linalg.eigvalsh(centre @ (-0.5 * distances**2) @ centre)[0] == pytest.approx(-found.shift_)


def test_landmarks_are_kernel_components_of_projections():
    """All outputs as landmarks: the components of `fit`. Some: plain PCA of what their span keeps of the others."""
    random = np.random.default_rng(1)
    X = random.normal(size=(40, 3))
    kernel = PolynomialKernel(2, 0.5)
    gram, new = kernel.gram(X), kernel.gram(random.normal(size=(5, 3)), X)
    exact, same = KernelComponents().fit(gram), KernelComponents().fit_landmarks(gram, gram)
    np.testing.assert_allclose(same.eigenvalues_, exact.eigenvalues_, rtol=1e-6)
    np.testing.assert_allclose(
        same.project(new) @ same.coordinates_.T, exact.project(new) @ exact.coordinates_.T, atol=1e-6
    )
    # A linear kernel has explicit images: project them onto the affine span of the landmarks by least squares.
    line = random.normal(size=(30, 8))
    few = KernelComponents().fit_landmarks(LinearKernel().gram(line[:4]), LinearKernel().gram(line, line[:4]))
    basis = np.linalg.svd(line[:4] - line[:4].mean(axis=0), full_matrices=False)[2][:3]
    inside = (line - line[:4].mean(axis=0)) @ basis.T
    wanted = np.linalg.svd(inside - inside.mean(axis=0), compute_uv=False) ** 2 / 30
    np.testing.assert_allclose(few.eigenvalues_, wanted, rtol=1e-8)
    # Coordinates of a point, written as a sum of landmarks, are the point that the sum makes.
    points = few.expansion(few.coordinates_) @ line[:4]
    np.testing.assert_allclose(points, inside @ basis + line[:4].mean(axis=0), atol=1e-8)
    rest = few.residuals(LinearKernel().gram(line, line[:4]), LinearKernel().diagonal(line))
    np.testing.assert_allclose(rest, np.sum((line - points) ** 2, axis=1), atol=1e-8)


def test_how_many_components():
    gram = LinearKernel().gram(np.diag([9.0, 3.0, 1.0, 0.1]))
    assert len(KernelComponents(2).fit(gram).eigenvalues_) == 2
    all_of_them = KernelComponents().fit(gram).eigenvalues_
    share = np.cumsum(all_of_them) / all_of_them.sum()
    assert len(KernelComponents(float(share[0]) + 1e-6).fit(gram).eigenvalues_) == 2
    assert len(KernelComponents(3).fit(np.ones((5, 5))).eigenvalues_) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: KernelComponents(5).fit(np.eye(5)), "n_components=5 with 5 outputs given; .* at most 4"),
        (lambda: KernelComponents(0).fit(np.eye(5)), "n_components=0 given"),
        (lambda: KernelComponents(1.5).fit(np.eye(5)), "n_components=1.5 given"),
        (lambda: KernelComponents(negative="ignore").fit(np.eye(2)), "negative='ignore' given"),
        (lambda: KernelComponents().fit(np.ones((2, 3))), "square kernel matrix"),
        (lambda: KernelComponents().fit([[np.nan]]), "not finite"),
        (lambda: KernelComponents().fit(np.eye(2)).project([[1.0]]), "block of shape"),
        (lambda: gram_from_distances([[0.0, 1.0], [2.0, 0.0]]), "not symmetric"),
        (lambda: gram_from_distances([[0.0]], [2.0]), "sum 2 given"),
        (lambda: gram_from_distances([0.0]), "square matrix"),
    ],
)
def test_bad_outputs_are_refused_in_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
