"""Pre-images of polynomial kernels, against the vectors that made them."""

import numpy as np
import pytest

from weft import InputError, PolynomialKernel
from weft.preimages.polynomial import odd_polynomial_preimages


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_an_image_leads_back_to_its_vector(degree):
    """Enough vectors span all images: any vector is a sum of theirs, found by least squares, and comes back."""
    random = np.random.default_rng(degree)
    Y, new = random.normal(size=(80, 2)), random.normal(size=(6, 2))
    kernel = PolynomialKernel(degree, 0.5, 1.0)
    weights = np.linalg.lstsq(kernel.gram(Y), kernel.gram(Y, new), rcond=1e-13)[0].T
    np.testing.assert_allclose(odd_polynomial_preimages(weights, Y, degree, 0.5, 1.0), new, atol=1e-4)


def test_bad_input():
    with pytest.raises(InputError, match="degree=2 given; need an odd one"):
        odd_polynomial_preimages([[1.0]], [[1.0]], 2)
    with pytest.raises(InputError, match="weights of shape"):
        odd_polynomial_preimages([[1.0]], [[1.0], [2.0]], 3)
