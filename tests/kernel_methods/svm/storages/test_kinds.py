"""Five ways to keep W' give one model; the minimal automaton is minimal after every update."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from weft.errors import InputError
from weft.kernel_methods.svm.descent import solve_svm
from weft.kernel_methods.svm.storages.descent import solve_with_storage
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.kinds import STORAGES, new_storage, sorted_rows

# LK Tables 1 and 2 name x2 = x3, which contradicts their numbers; E3 is a third string that gives the printed row.
WORKED = {
    "E1": (
        ["ababa", "abbab", "abbab"],
        [Fraction(1, 8), Fraction(1, 24), Fraction(1, 3)],
        {"ab": Fraction(-1, 3), "ba": Fraction(-1, 24), "bb": Fraction(-7, 24)},
    ),
    "E2": (
        ["ababa", "abaab", "abbab"],
        [Fraction(1, 8), Fraction(1, 24), Fraction(47, 144)],
        {"aa": Fraction(1, 24), "ab": Fraction(-23, 72), "ba": Fraction(-5, 144), "bb": Fraction(-47, 144)},
    ),
    "E3": (
        ["ababa", "abbab", "abaca"],
        [Fraction(1, 8), Fraction(1, 24), Fraction(13, 32)],
        {
            "ab": Fraction(-7, 96),
            "ac": Fraction(-13, 32),
            "ba": Fraction(-11, 96),
            "bb": Fraction(1, 24),
            "ca": Fraction(-13, 32),
        },
    ),
}
SIGNS = np.array([1.0, 1.0, -1.0])


def bigram_rows(strings):
    grams = [[x[i : i + 2] for i in range(len(x) - 1)] for x in strings]
    names = sorted({gram for row in grams for gram in row}, reverse=True)  # columns need not be sorted
    counts = csr_array(np.array([[row.count(name) for name in names] for row in grams], dtype=np.float64))
    keys = KeySet.from_names(names)
    return names, keys, sorted_rows(counts, keys)


@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize("example", WORKED)
def test_first_pass_of_the_worked_example(kind, example):
    strings, alpha, weights = WORKED[example]
    _, keys, rows = bigram_rows(strings)
    storage = new_storage(kind, keys, rows)
    solution = solve_with_storage(storage, rows, SIGNS, np.full(3, 10.0), max_passes=1, shuffle=False)
    np.testing.assert_allclose(solution.alpha, [float(each) for each in alpha], rtol=1e-15)
    wanted = [float(weights[name]) for name in sorted(weights)]
    np.testing.assert_allclose(storage.weights(), wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_every_storage_trains_the_model_of_the_array(kind, loss):
    random = np.random.default_rng(4)
    strings = ["".join(random.choice(list("abcd"), size=random.integers(3, 15))) for _ in range(40)]
    signs = np.where(random.random(40) < 0.5, -1.0, 1.0)
    costs = random.integers(0, 3, 40) / 2
    _, keys, rows = bigram_rows(strings)
    options = {"loss": loss, "tol": 1e-2, "max_passes": 500}
    wanted = solve_svm(rows, signs, costs, random=np.random.default_rng(9), **options)
    storage = new_storage(kind, keys, rows)
    values = []

    def report(n_passes, value):
        values.append(value)
        return False

    found = solve_with_storage(storage, rows, signs, costs, random=np.random.default_rng(9), report=report, **options)
    assert values[-1] == pytest.approx(found.gap - found.objective, abs=1e-9)
    assert found.n_passes == wanted.n_passes > 5
    assert found.converged
    np.testing.assert_allclose(found.weights, wanted.weights, atol=1e-9)
    np.testing.assert_allclose(found.alpha, wanted.alpha, atol=1e-9)
    again = solve_with_storage(new_storage(kind, keys, rows), rows, signs, costs, alpha=wanted.alpha, **options)
    assert again.n_passes <= 3


def test_unknown_storage_and_equal_names_are_refused():
    _, keys, rows = bigram_rows(["abab"])
    with pytest.raises(InputError, match="'array', 'trie'"):
        new_storage("heap", keys, rows)
    with pytest.raises(InputError, match="both called 'ab'"):
        KeySet.from_names(["ab", "ab"])
