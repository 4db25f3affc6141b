"""Nearest strings against enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.language_model import NGramLanguageModel
from weft.preimages import EulerDecoder, GramSpace, discretize, nearest_strings

MAX_LENGTH = 4
TEXTS = ["".join(t) for n in range(1, MAX_LENGTH + 1) for t in itertools.product("ab", repeat=n)]


def cost(space, z, text, weights, unseen, model=None, model_weight=0.0):
    """Squared distance less |z|^2, from the definition; inf for neighbours that are not allowed."""
    counts = space.counts([text]).toarray()[0]
    shares = np.repeat(weights, np.diff(space.starts))
    total = float((shares * ((counts - z) ** 2 - z**2)).sum())
    for block, n in enumerate(space.lengths):
        n_known = counts[space.block(n)].sum()
        n_all = len(text) if n == 1 else max(0, len(text) + 3 - n)
        total += unseen[block] * (n_all - n_known) if n_all > n_known else 0.0
    return total - (model_weight * model.log_probability([text])[0] if model else 0.0)


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([[2], [3], [2, 3], [1, 2], [2, 4]]),
    st.sampled_from([None, 0.7]),
    st.booleans(),
)
def test_equals_enumeration(seed, lengths, unseen, with_model):
    random = np.random.default_rng(seed)
    training = random.choice(TEXTS, size=4).tolist() + ["abab"]
    space = GramSpace.learn(training, lengths)
    z = random.normal(0.3, 0.7, size=space.n_grams)
    weights = random.uniform(0.5, 2.0, size=len(lengths))
    model = NGramLanguageModel(2, "witten_bell").fit(training) if with_model else None
    found = nearest_strings(
        [z],
        space,
        beam_width=1000,
        max_length=MAX_LENGTH,
        weights=weights,
        new_gram_cost=unseen,
        language_model=model,
        model_weight=0.3 if with_model else None,
    )
    prices = [np.inf if n <= 2 else w for n, w in zip(lengths, weights, strict=True)] if unseen is None else [0.7] * 2
    allowed = {pair for text in training for pair in itertools.pairwise(f"^{text}^")}
    costs = {}
    for text in TEXTS:
        if unseen is not None or 1 in lengths or all(pair in allowed for pair in itertools.pairwise(f"^{text}^")):
            costs[text] = cost(space, z, text, weights, prices, model, 0.3)
    best = "".join(found.strings[0][0])
    assert found.costs[0][0] == pytest.approx(costs[best])
    assert costs[best] == pytest.approx(min(costs.values()))


def test_a_narrow_beam_claims_no_more_than_it_knows():
    """Whenever optimality is claimed, a beam that is far wider finds nothing better."""
    random = np.random.default_rng(1)
    words = ["".join(random.choice(list("abcde"), size=random.integers(3, 8))) for _ in range(30)]
    space = GramSpace.learn(words, [2, 3])
    z = space.counts(words).toarray() + random.normal(scale=0.33, size=(30, space.n_grams))
    narrow = nearest_strings(z, space, beam_width=2, max_length=12)
    wide = nearest_strings(z, space, beam_width=500, max_length=12)
    best, reference = (np.array([costs[0] for costs in each.costs]) for each in (narrow, wide))
    assert 0 < narrow.is_proven.sum() < len(words)
    assert wide.is_proven.mean() > 0.9
    np.testing.assert_allclose(best[narrow.is_proven], reference[narrow.is_proven])
    assert (reference >= narrow.bounds.clip(max=best) - 1e-9).all()


def test_exact_counts_are_found_and_never_worse_than_euler():
    random = np.random.default_rng(2)
    words = ["".join(random.choice(list("abcdef"), size=8)) for _ in range(20)]
    space = GramSpace.learn(words, [2])
    counts = space.counts(words).toarray()
    found = nearest_strings(counts, space)
    again = ["".join(strings[0]) for strings in found.strings]
    np.testing.assert_array_equal(space.counts(again).toarray(), counts)
    noisy = counts + random.normal(scale=0.4, size=counts.shape)
    euler = EulerDecoder(space).decode(discretize(noisy, 0.5, 1))
    nearest = nearest_strings(noisy, space, new_gram_cost=1.0)
    for z, text, costs in zip(noisy, euler, nearest.costs, strict=True):
        if text:
            assert costs[0] <= cost(space, z, "".join(text), [1.0], [1.0]) + 1e-9


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([[1], [2], [2, 3], [3]]), st.booleans())
def test_k_best_are_those_of_enumeration_with_all_ties(seed, orders, with_model):
    random = np.random.default_rng(seed)
    space = GramSpace.learn(TEXTS, orders)
    z = random.integers(0, 3, size=space.n_grams) / 2.0
    model = NGramLanguageModel(2, "witten_bell").fit(random.choice(TEXTS, size=3).tolist()) if with_model else None
    costs = sorted(cost(space, z, text, np.ones(len(orders)), [1.0] * 2, model, 0.3) for text in TEXTS)
    found = nearest_strings(
        [z],
        space,
        k=12,
        beam_width=500,
        max_length=MAX_LENGTH,
        language_model=model,
        model_weight=0.3 if with_model else None,
    )
    np.testing.assert_allclose(found.costs[0], costs[:12], atol=1e-9)
    assert len({"".join(text) for text in found.strings[0]}) == 12


def test_no_result_is_worse_than_an_euler_path_of_rounded_counts():
    """Exact counts always come back, however narrow the beam; so do long strings, without a limit of length."""
    random = np.random.default_rng(3)
    words = ["".join(random.choice(list("abc"), size=n)) for n in (5, 9, 14, 20, 45, 60) for _ in range(10)]
    for orders in ([2], [2, 3]):
        space = GramSpace.learn(words, orders)
        counts = space.counts(words).toarray()
        found = nearest_strings(counts + random.uniform(-0.3, 0.3, counts.shape), space, beam_width=2)
        again = ["".join(strings[0]) for strings in found.strings]
        np.testing.assert_array_equal(space.counts(again).toarray(), counts)


def test_k_best_are_sorted_and_distinct():
    space = GramSpace.learn(["abc", "acb", "bac"], [2, 3])
    found = nearest_strings(space.counts(["abc"]).toarray() * 0.7, space, k=5)
    costs = found.costs[0]
    assert len(costs) == 5
    assert (np.diff(costs) >= 0).all()
    assert len({"".join(text) for text in found.strings[0]}) == 5
    assert found.strings[0][0] == list("abc")


def test_bad_input():
    space = GramSpace.learn(["ab"], [2])
    with pytest.raises(InputError, match="predictions of shape"):
        nearest_strings([[1.0]], space)
    with pytest.raises(InputError, match="finite"):
        nearest_strings([[np.nan] * 3], space)
    with pytest.raises(InputError, match="weights are"):
        nearest_strings([[1.0] * 3], space, weights=[1.0, 2.0])
    with pytest.raises(InputError, match=r"model_weight is 0\.1, but there is no language_model"):
        nearest_strings([[1.0] * 3], space, model_weight=0.1)
    for weight in (-1.0, np.nan, np.inf, "much"):
        with pytest.raises(InputError, match="a finite number >= 0 is needed"):
            nearest_strings([[1.0] * 3], space, language_model=NGramLanguageModel(1).fit(["ab"]), model_weight=weight)
    with pytest.raises(InputError, match="beam_width=0"):
        nearest_strings([[1.0] * 3], space, beam_width=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"new_gram_cost": -1.0}, "new_gram_cost is -1.0; a number of at least 0 is needed"),
        ({"new_gram_cost": np.nan}, "new_gram_cost is nan"),
        ({"new_gram_cost": "dear"}, "new_gram_cost is 'dear'"),
        ({"new_gram_cost": [1.0, 2.0, 3.0]}, "one for each of the 1 lengths"),
        ({"max_length": 10**9}, "max_length=1000000000 given; strings have at most 1,000,000 symbols"),
        ({"beam_width": 10**30}, "beam_width=1000.* given; need an integer of at most"),
    ],
)
def test_options_of_a_search_that_mean_nothing_are_refused(options, message):
    space = GramSpace.learn(["ab"], [2])
    with pytest.raises(InputError, match=message):
        nearest_strings(space.counts(["ab"]).toarray(), space, **options)
