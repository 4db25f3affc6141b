"""N-gram models against definitions, hand-computed values and brute force."""

import itertools

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.language_model import NGramLanguageModel

SMOOTHED = ["witten_bell", "kneser_ney", "modified_kneser_ney"]
ALL = ["maximum_likelihood", *SMOOTHED]


def test_all_strings_sum_to_one():
    """Of a chain that must end: the mass of all strings up to a length goes to one."""
    model = NGramLanguageModel(3, "maximum_likelihood").fit(["ab", "ba", "b"])
    texts = ["".join(each) for n in range(6) for each in itertools.product("ab", repeat=n)]
    assert np.exp(model.log_probability(texts)).sum() == pytest.approx(1.0)


def test_accepts_tokens_and_arrays():
    tokens = [["AH", "B"], ["B", "AH", "B"]]
    numbers = [np.array([0, 1]), np.array([1, 0, 1])]
    model = NGramLanguageModel(2).fit(tokens)
    assert model.symbols_ == ["AH", "B"]
    np.testing.assert_allclose(
        model.log_probability(tokens), NGramLanguageModel(2).fit(numbers).log_probability(numbers)
    )


def test_unknown_symbols():
    assert NGramLanguageModel(2, "maximum_likelihood").fit(["ab"]).log_probability(["axb"])[0] == -np.inf
    assert -50 < NGramLanguageModel(2).fit(["ab"]).log_probability(["axb"])[0] < -1


def test_saves_and_loads(tmp_path):
    model = NGramLanguageModel(3, "kneser_ney").fit(["abra", "cadabra"])
    weft.save(model, tmp_path / "language.weft")
    again = weft.load(tmp_path / "language.weft")
    np.testing.assert_array_equal(again.log_probability(["abra", "xa"]), model.log_probability(["abra", "xa"]))
    assert again.perplexity(["abra"]) == model.perplexity(["abra"])


def test_better_smoothing_is_better_on_unseen_text():
    random = np.random.default_rng(0)
    steps = random.dirichlet(np.full(20, 0.2), size=20)

    def text():
        out = [int(random.integers(20))]
        while random.random() > 0.1:
            out.append(int(random.choice(20, p=steps[out[-1]])))
        return out

    train, test = [text() for _ in range(400)], [text() for _ in range(200)]
    perplexity = {name: NGramLanguageModel(4, name).fit(train).perplexity(test) for name in ALL}
    assert perplexity["modified_kneser_ney"] < perplexity["witten_bell"]
    assert perplexity["kneser_ney"] < perplexity["witten_bell"]
    assert perplexity["maximum_likelihood"] == np.inf


@pytest.mark.parametrize(
    ("arguments", "X", "message"),
    [
        ({}, "abc", "wrap it"),
        ({}, [], "is empty"),
        ({}, [1, 2], r"X\[0\] is 1 of type int"),
        ({"n": 0}, ["a"], "n=0"),
        ({"smoothing": "laplace"}, ["a"], "smoothing is 'laplace'"),
        ({"smoothing": "kneser_ney", "discount": 2.0}, ["a"], "discount is 2.0"),
    ],
)
def test_bad_input(arguments, X, message):
    with pytest.raises(InputError, match=message):
        NGramLanguageModel(**arguments).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 10**9}, "n=1000000000 given; n-grams have at most 1,000 symbols"),
        ({"n": 10**30}, "n=1000.* given; need an integer of at most"),
        ({"discount": "0.5"}, "discount is '0.5'; a number from 0 to 1 is needed"),
        ({"discount": []}, "discount is "),
        ({"discount": np.nan}, "discount is nan"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        NGramLanguageModel(**parameters).fit(["ab"])
