"""Golden values, recovery from Hankel blocks, and piecewise decoding against enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.learners.spectral.operator_model import InputOutputOOM

GOLDEN = InputOutputOOM(
    [1, 0],
    {
        (0, 0): [[0.5, 0.2], [0, 0.3]],
        (0, 1): [[0.1, 0], [0.4, 0.2]],
        (1, 0): [[0, 0.3], [0.2, 0.1]],
        (1, 1): [[0.2, 0.1], [0.1, 0.6]],
    },
    [1, 1],
)


def random_model(seed, n_states=3, symbols="ab", labels="xy"):
    random = np.random.default_rng(seed)
    operators = {pair: random.normal(size=(n_states, n_states)) / 2 for pair in product(symbols, labels)}
    return InputOutputOOM(random.normal(size=n_states), operators, random.normal(size=n_states))


def strings(pairs, longest):
    return [string for length in range(longest + 1) for string in product(pairs, repeat=length)]


def test_golden_scores():
    assert GOLDEN.score([0], [0]) == pytest.approx(0.7)
    assert GOLDEN.score([0, 1], [0, 1]) == pytest.approx(0.29)
    assert GOLDEN.score([0, 1, 0], [1, 0, 0]) == pytest.approx(0.009)


def test_five_symbols_have_three_windows_of_three():
    x, y = [0, 1, 0, 0, 1], [1, 0, 0, 1, 1]
    windows = sum(GOLDEN.score(x[i : i + 3], y[i : i + 3]) for i in range(3))
    assert GOLDEN.piecewise_score(x, y, 3) == pytest.approx(windows)
    shorter = sum(GOLDEN.score(x[i : i + n], y[i : i + n]) for n in (1, 2, 3) for i in range(6 - n))
    assert GOLDEN.piecewise_score(x, y, 3, shorter_grams=True) == pytest.approx(shorter)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.booleans())
def test_random_models_are_recovered_from_different_prefixes_and_suffixes(seed, with_empty):
    model = random_model(seed)
    pairs = model.bi_symbols
    some = strings(pairs, 2)[0 if with_empty else 1 :]
    prefixes, suffixes = some[::2], some[1::2][::-1]
    block = model.hankel(prefixes, suffixes)
    values = np.linalg.svd(block, compute_uv=False)
    if values[2] < 1e-4 * values[0]:
        return  # too close to fewer states for eight digits
    shifted = {pair: model.hankel([(*prefix, pair) for prefix in prefixes], suffixes) for pair in pairs}
    recovered = InputOutputOOM.from_hankel(
        block, shifted, model.hankel(prefixes, [()])[:, 0], model.hankel([()], suffixes)[0]
    )
    assert recovered.n_states == 3
    for string in strings(pairs, 4):
        x, y = [a for a, _ in string], [b for _, b in string]
        assert recovered.score(x, y) == pytest.approx(model.score(x, y), abs=1e-8)


def test_single_bi_symbols_are_enough_to_recover():
    model = random_model(4)
    singles = [(pair,) for pair in model.bi_symbols]
    shifted = {pair: model.hankel([(*prefix, pair) for prefix in singles], singles) for pair in model.bi_symbols}
    alone = model.hankel(singles, [()])[:, 0]
    recovered = InputOutputOOM.from_hankel(model.hankel(singles, singles), shifted, alone, alone)
    assert recovered.score("abab", "xyyx") == pytest.approx(model.score("abab", "xyyx"), abs=1e-8)
    assert InputOutputOOM.from_hankel(model.hankel(singles, singles), shifted, alone, alone, n_states=2).n_states == 2


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(0, 5), st.booleans())
def test_decoding_finds_the_best_of_all_outputs(seed, order, length, shorter):
    model = random_model(seed)
    x = ["a", "b", "b", "a", "a"][:length]
    best = max(model.piecewise_score(x, y, order, shorter_grams=shorter) for y in product("xy", repeat=length))
    predicted = model.predict(x, order, shorter_grams=shorter)
    assert model.piecewise_score(x, predicted, order, shorter_grams=shorter) == pytest.approx(best)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_model_of_a_gram_table_gives_its_scores_and_zero_to_other_lengths(order):
    pairs = [("a", "x"), ("a", "y"), ("b", "x")]
    table = np.random.default_rng(order).normal(size=(3,) * order)
    model = InputOutputOOM.from_grams(pairs, table)
    for string in product(range(3), repeat=order):
        x, y = zip(*(pairs[i] for i in string), strict=True)
        assert model.score(x, y) == pytest.approx(table[string])
    assert model.score("a" * (order + 1), "x" * (order + 1)) == 0.0
    low_rank = np.einsum("i,j->ij", [1.0, 2, 3], [1.0, 0, 1])
    assert InputOutputOOM.from_grams(pairs, low_rank).n_states == 3


def test_a_pair_without_operator_scores_zero_and_is_never_predicted():
    model = InputOutputOOM([1], {("a", "x"): [[-1.0]], ("b", "y"): [[2.0]]}, [1])
    assert model.score("a", "y") == 0.0
    assert model.predict("aba") == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: InputOutputOOM([1, 0], {}, [1]), "final .1,.; one weight per state"),
        (lambda: InputOutputOOM([1], {("a", "x"): np.eye(2)}, [1]), "operator of .'a', 'x'. has shape .2, 2."),
        (lambda: GOLDEN.score([0], [0, 1]), "x has 1 symbols but y has 2"),
        (lambda: GOLDEN.predict([0, 7]), r"x\[1\] is 7, which no operator has"),
        (lambda: GOLDEN.predict([0], order=0), "order is 0; a whole number of at least 1"),
        (lambda: InputOutputOOM.from_hankel(np.eye(2), {}, [1], [1, 1]), "one prefix per row"),
        (lambda: InputOutputOOM.from_hankel(np.eye(1), {("a", "x"): np.eye(2)}, [1], [1]), "block of .'a', 'x'."),
        (lambda: InputOutputOOM.from_grams([("a", "x")], np.eye(2)), "grams has shape .2, 2."),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
