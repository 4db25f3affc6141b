from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.core import kept as module
from weft.core.kept import fingerprint, kept


class Owner:
    pass


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.uint64)


def all_of(values):
    return fingerprint(bits(values), 1, 0, 0)


@given(st.lists(st.floats(), min_size=1, max_size=20), st.integers(0, 19), st.floats())
def test_a_fingerprint_sees_every_change(values, number, other):
    place = number % len(values)
    changed = [*values[:place], other, *values[place + 1 :]]
    same = np.array_equal(bits(values), bits(changed))
    assert (all_of(values) == all_of(changed)) == same


@given(st.permutations(range(13)))
def test_a_fingerprint_sees_the_order(order):
    same = list(order) == list(range(13))
    assert (all_of(order) == all_of(range(13))) == same


@given(st.integers(1, 40), st.integers(1, 40))
def test_a_fingerprint_sees_changes_of_sign(n, n_changed):
    values = np.arange(1.0, n + 1.0)
    signs = np.where(np.arange(n) < n_changed, -1.0, 1.0)
    assert all_of(values) != all_of(values * signs)


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 29))
def test_a_fingerprint_of_some_sees_these(step, begin, end, place):
    values = np.arange(1.0, 31.0)
    changed = values.copy()
    changed[place] = -1.0
    is_seen = place % step == 0 or begin <= place < end
    same = fingerprint(bits(values), step, begin, end) == fingerprint(bits(changed), step, begin, end)
    assert same == (not is_seen)


def test_what_was_made_goes_with_the_weights():
    weights, owner = np.arange(3.0), Owner()
    owner.weights = weights  # which must not keep them alive
    key = id(weights)  # and not how many there are: models of other tests may go at the same time
    assert kept(weights, owner, lambda: "made") == "made"
    assert module._KEPT[key][-1] == "made"
    del weights, owner
    gc.collect()
    assert key not in module._KEPT


def test_another_owner_has_its_own():
    weights, first, second = np.arange(3.0), Owner(), Owner()
    made = iter("abcd")
    assert [kept(weights, owner, lambda: next(made)) for owner in (first, first, second, second)] == list("aabb")


@pytest.mark.parametrize(
    ("weights", "wanted"), [(np.arange(6.0)[::2], "ab"), (np.arange(3), "ab"), (np.empty(0), "aa"), (np.eye(2), "aa")]
)
def test_only_of_contiguous_numbers_anything_is_kept(weights, wanted):
    made, owner = iter("ab"), Owner()
    assert [kept(weights, owner, lambda: next(made)) for _ in range(2)] == list(wanted)


def test_an_owner_without_room_for_references_keeps_nothing():
    made, weights = iter("ab"), np.ones(2)
    assert [kept(weights, 5, lambda: next(made)) for _ in range(2)] == ["a", "b"]


def test_what_has_no_copies_is_made_anew_when_all_weights_change():
    made, weights, owner = iter("abc"), np.ones(1000), Owner()
    assert [kept(weights, owner, lambda: next(made), copied=False) for _ in range(2)] == ["a", "a"]
    weights *= 2.0
    assert kept(weights, owner, lambda: next(made), copied=False) == "b"


def test_of_copied_weights_every_change_is_seen():
    made, weights, owner = iter("abc"), np.ones(1000), Owner()
    assert [kept(weights, owner, lambda: next(made), copied=slice(900, None)) for _ in range(2)] == ["a", "a"]
    for place, wanted in ((901, "b"), (1, "b"), (999, "c")):  # the second is neither copied nor looked at
        weights[place] += 1.0
        assert kept(weights, owner, lambda: next(made), copied=slice(900, None)) == wanted


def test_single_weights_of_a_large_tagger_count_at_once():
    X = [[[f"w{i}", f"v{i}", "same"], [f"v{i}", "same"]] for i in range(60)]
    tagger = weft.Tagger(weft.CRF(c2=0.1), pairs="all").fit(X, [["A", "B"] if i % 2 else ["C", "D"] for i in range(60)])
    assert tagger.predict(X[:1]) == [["C", "D"]]
    for name in (("same", "B"), ("w0", "A"), ("A", "C")):  # a dense row, another one, a step
        place = tagger.feature_names_.index(name)
        before = float(tagger.weights_[place])
        tagger.weights_[place] = 50.0
        found, many = tagger.predict(X[:1])[0], tagger.predict(X)[0]
        assert found == many == {"B": ["B", "B"], "A": ["A", found[1]], "C": ["A", "C"]}[name[1]]
        tagger.weights_[place] = before
    assert tagger.predict(X[:1]) == [["C", "D"]]


def small_tagger():
    X, y = [["the", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]]
    return weft.Tagger(weft.CRF(c2=0.1)).fit(X, y), X


def test_weights_that_change_are_seen():
    tagger, X = small_tagger()
    before = tagger.predict(X)
    tagger.weights_ *= -1.0  # in place
    assert tagger.predict(X) != before
    tagger.weights_ = -tagger.weights_  # another array
    assert tagger.predict(X) == before
    tagger.weights_[0] = np.nan
    with pytest.raises(weft.InputError, match="weights_ has nan"):
        tagger.predict(X)


def test_copies_pickles_and_refits_predict_on_their_own():
    tagger, X = small_tagger()
    before = tagger.predict(X)
    other = copy.copy(tagger)
    other.weights_ = -tagger.weights_
    assert other.predict(X) != before
    assert tagger.predict(X) == before == pickle.loads(pickle.dumps(tagger)).predict(X)
    tagger.fit([["x", "y"]], [["P", "Q"]])
    assert tagger.predict([["x", "y"]]) == [["P", "Q"]]
    tagger.set_params(decode="expected")
    assert tagger.predict([["x", "y"]]) == [["P", "Q"]]


def test_threads_predict_with_weights_of_their_own():
    tagger, X = small_tagger()
    other = copy.copy(tagger)
    other.weights_ = -tagger.weights_
    wanted = [each.predict(X) for each in (tagger, other)]

    def ask(number):
        return [tagger, other][number % 2].predict(X)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(40)))
    assert found == wanted * 20
