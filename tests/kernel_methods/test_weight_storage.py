"""Five ways to keep W' give one model; the minimal automaton is minimal after every update."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.errors import InputError
from weft.kernel_methods.hash_storage import KeyAutomaton
from weft.kernel_methods.keys import KeySet
from weft.kernel_methods.minimal_storage import MinimalStorage
from weft.kernel_methods.storage_descent import solve_with_storage
from weft.kernel_methods.svm import SparseRows, solve_svm
from weft.kernel_methods.weight_storage import STORAGES, new_storage, sorted_rows

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


KEYS = st.text(alphabet="abc", max_size=4)
UPDATES = st.lists(st.dictionaries(KEYS, st.integers(-2, 2).map(float), min_size=1, max_size=6), min_size=1, max_size=8)


def minimal_states(weights):
    """Number of states by definition: futures that differ by more than a factor, found by enumeration."""
    prefixes = {key[:k] for key in weights for k in range(len(key) + 1)}
    futures = set()
    for prefix in prefixes:
        future = {key[len(prefix) :]: weight for key, weight in weights.items() if key.startswith(prefix)}
        ordered = sorted(future.items())
        futures.add(tuple((suffix, weight / ordered[0][1]) for suffix, weight in ordered))
    return len(futures)


@settings(deadline=None, max_examples=60)
@given(UPDATES)
def test_automaton_is_minimal_and_exact_after_every_update(updates):
    names = sorted({key for update in updates for key in update})
    keys = KeySet.from_names(names)
    storage = MinimalStorage(keys)
    weights: dict[str, Fraction] = {}
    for update in updates:
        chosen = [name for name in names if name in update]
        columns = np.array([names.index(name) for name in chosen], dtype=np.uint32)
        storage.add(0, columns, np.array([update[name] for name in chosen], dtype=np.float32), 1.0)
        for name in chosen:
            weights[name] = weights.get(name, Fraction(0)) + Fraction(update[name])
        weights = {name: weight for name, weight in weights.items() if weight}
        np.testing.assert_allclose(storage.weights(), [float(weights.get(name, 0)) for name in names], atol=1e-12)
        assert storage.size().states == minimal_states(weights)


def test_what_is_taken_away_leaves_nothing_behind():
    random = np.random.default_rng(0)
    names = sorted({"".join(random.choice(list("abcdef"), size=4)) for _ in range(400)})
    keys = KeySet.from_names(names)
    storage = MinimalStorage(keys)
    rows = [
        (
            np.sort(random.choice(len(names), 50, replace=False)).astype(np.uint32),
            random.normal(size=50).astype(np.float32),
        )
        for _ in range(40)
    ]
    for columns, values in rows:
        storage.add(0, columns, values, 0.7)
    assert storage.size().states > 50
    for columns, values in rows:
        storage.add(0, columns, values, -0.7)
    # What cancels only up to rounding is noise far below any weight.
    assert np.abs(storage.weights()).max() < 1e-14


@settings(deadline=None, max_examples=50)
@given(st.sets(st.text(alphabet="abxé\N{SNOWMAN}", max_size=5), min_size=1, max_size=30))
def test_key_automaton_numbers_its_keys_and_refuses_others(strings):
    keys = KeySet.from_names(list(strings))
    automaton = KeyAutomaton(keys)
    np.testing.assert_array_equal(automaton.index(keys.codes, keys.offsets), np.arange(len(strings)))
    longer = np.concatenate([keys.codes[keys.offsets[-2] :], [0, 0, 0, 0, 0, 0]]).astype(np.uint32)
    assert automaton.index(longer, np.array([0, len(longer)])).tolist() == [-1]


def test_automaton_of_keys_is_smaller_than_the_trie():
    random = np.random.default_rng(1)
    keys = KeySet.from_names(sorted({"".join(random.choice(list("abcd"), size=6)) for _ in range(3000)}))
    rows = SparseRows.from_matrix(csr_array(np.ones((1, len(keys)))))
    sizes = {}
    for kind in ("trie", "minimal", "hash"):
        storage = new_storage(kind, keys, rows)
        storage.add(0, rows.columns, rows.values, 1.0)
        sizes[kind] = storage.size()
    assert sizes["minimal"][:2] == sizes["hash"][:2]
    assert sizes["hash"].transitions < sizes["trie"].transitions
    assert 2 * sizes["hash"].bytes < sizes["trie"].bytes


def test_unknown_storage_and_equal_names_are_refused():
    _, keys, rows = bigram_rows(["abab"])
    with pytest.raises(InputError, match="'array', 'trie'"):
        new_storage("heap", keys, rows)
    with pytest.raises(InputError, match="both called 'ab'"):
        KeySet.from_names(["ab", "ab"])
