import numpy as np
import pytest

from weft import InputError, LabelKernel, LossKernel, losses


def test_labels_are_equal_or_not():
    np.testing.assert_array_equal(LabelKernel().gram([1, "1", 2]), np.eye(3))
    np.testing.assert_array_equal(LabelKernel().gram(np.array([1, 2]), np.array([2, 3])), [[0, 0], [1, 0]])
    np.testing.assert_array_equal(LabelKernel().diagonal(["a", "b"]), [1, 1])
    with pytest.raises(InputError, match="not numbers, strings or tuples"):
        LabelKernel().gram([["a"]])


@pytest.mark.parametrize("loss", ["edit", losses.edit, lambda a, b: abs(len(a) - len(b))])
def test_losses_are_squared_distances(loss):
    X = ["abc", "ab", "", "cba"]
    kernel = LossKernel(loss)
    function = losses.edit if loss == "edit" else loss
    gram = kernel.gram(X)
    squared = kernel.diagonal(X)[:, None] + kernel.diagonal(X) - 2 * gram
    np.testing.assert_array_equal(squared, [[function(a, b) for b in X] for a in X])
    np.testing.assert_array_equal(kernel.gram(X, X[:2]), gram[:, :2])
    assert kernel.gram([], X).shape == (0, 4)


def test_unknown_losses_are_refused():
    with pytest.raises(InputError, match="loss='fear' given; need one of edit, hamming, base_pair"):
        LossKernel("fear").gram(["a"])
