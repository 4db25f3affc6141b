from __future__ import annotations

import numpy as np
import pytest

import weft

TEXTS = ["the cat sat", "the dog sat", "le chat dort", "le chien dort", "a"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "make",
    [
        lambda dtype: weft.NGramKernel(2, dtype=dtype),
        lambda dtype: weft.Normalized(weft.NGramKernel(3, dtype=dtype)),
        lambda dtype: weft.Normalized(weft.GappyKernel(2, 0.5, max_gap=2, dtype=dtype)),
        lambda dtype: weft.NGramKernel(2, idf=True, dtype=dtype),
    ],
)
@pytest.mark.parametrize("n_problems", [1, 3])
def test_products_of_one_sequence_are_those_of_many_to_the_last_digit(make, dtype, n_problems):
    mapped, _ = make(dtype).feature_map(TEXTS)
    weights = np.random.default_rng(0).normal(size=(n_problems, mapped.n_features))
    asked = [*TEXTS, "zzz", "the 猫", ""]
    wanted = mapped.transform(asked) @ weights.T
    assert np.array_equal(mapped.products(asked, weights), wanted)
    for i, text in enumerate(asked):
        assert np.array_equal(mapped.products([text], weights), wanted[i : i + 1])
