"""Tests of `weft.kernels.grams.long`."""

import numpy as np
import pytest

import brute_force_grams as oracle
from gram_dictionaries import as_dictionaries
from weft import NGramKernel


def by_name(found):
    return {"".join(gram): weight for gram, weight in found.items()}


@pytest.mark.parametrize("n", [9, 10, 13, 31])
def test_grams_longer_than_64_bits_are_exact(n):
    random = np.random.default_rng(n)
    X = ["".join(random.choice(list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"), 60)) for _ in range(4)]
    X.append(X[0][5:50] + X[1][3:47])
    kernel = NGramKernel(n)
    mapped, rows = kernel.feature_map(X)
    names = mapped.names()
    assert names == sorted({"".join(gram) for x in X for gram in oracle.ngrams(x, n)})
    for own, x in zip(as_dictionaries(mapped, rows), X, strict=True):
        assert own == by_name(oracle.ngrams(x, n))
    Y = [X[4], X[2][:40] + "?" + X[2][10:], "short"]
    restored = kernel.restore_feature_map(mapped.to_state())
    for each in (mapped, restored):
        for own, y in zip(as_dictionaries(each, each.transform(Y)), Y, strict=True):
            assert own == {name: count for name, count in by_name(oracle.ngrams(y, n)).items() if name in set(names)}
    spans = mapped.spans(Y[1])
    assert [names[j] for j in spans.column] == [Y[1][a:b] for a, b in zip(spans.start, spans.stop, strict=True)]
    np.testing.assert_allclose(kernel.diagonal(Y), [oracle.inner(f, f) for f in (oracle.ngrams(y, n) for y in Y)])


def test_long_token_grams_are_exact():
    words = [f"w{i}" for i in range(3000)]
    X = [words[:2000], words[1000:], words[:10]]
    mapped, rows = NGramKernel(6).feature_map(X)
    assert rows.sum(axis=1).tolist() == [1995, 1995, 5]
    assert mapped.n_features == 2995
    assert mapped.names()[0] == "w0 w1 w2 w3 w4 w5"
