"""Tests of `weft.kernel_methods.svm.storages.minimal`."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.minimal import MinimalStorage

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


@settings(max_examples=60)
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
