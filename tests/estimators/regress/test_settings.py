"""What the parameters of a StringRegressor mean together."""

import pytest

import weft
from weft.errors import InputError
from weft.estimators.regress.settings import candidates_of, check_parameters, ridge_of, ways_of

LM = weft.NGramLanguageModel(2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"preimage": "oracle"}, "preimage is 'oracle'; use one of 'nearest', 'euler', 'candidates'"),
        ({"preimage": "nearest", "candidates": ["b"]}, "candidates is list, but only preimage='candidates'"),
        ({"candidates": ["b"], "max_length": 9}, "max_length is 9, but only preimage='nearest'"),
        ({"preimage": "euler", "new_gram_cost": 1.0}, "new_gram_cost is 1.0, but only preimage='nearest'"),
        ({"preimage": "candidates", "new_gram_cost": 1.0}, "new_gram_cost is 1.0"),
        ({"preimage": "euler", "beam_width": 40}, "beam_width is 40, but only .* language_model"),
        ({"preimage": "candidates", "beam_width": 40}, "beam_width is 40"),
        ({"preimage": "euler", "max_length": 9}, "max_length is 9, but only preimage='nearest'"),
        ({"preimage": "euler", "language_model": LM, "model_weight": 0.05}, "model_weight is 0.05"),
        ({"model_weight": 0.05}, "model_weight is 0.05, but only .* with a language_model"),
        ({"preimage": "candidates", "language_model": LM}, "language_model is NGramLanguageModel, but"),
        ({"output_order": 2, "n_regressors": 3}, "output_order is 2, but only n_regressors=1"),
        ({"n_basis": 2}, "n_basis is 2, but only an approximation"),
        ({"language_model": 3}, "language_model is 3; an NGramLanguageModel is needed, or None"),
        ({"max_length": 0}, "max_length=0 given; need an integer of at least 1"),
        ({"max_length": 1.5}, "max_length=1.5 given"),
        ({"beam_width": 0}, "beam_width=0 given"),
        ({"beam_width": 10**30}, "beam_width=1000.* given; need an integer of at most"),
    ],
)
def test_what_would_change_nothing_is_refused(parameters, message):
    regressor = weft.StringRegressor(**parameters)
    with pytest.raises(InputError, match=message):
        check_parameters(regressor)
    with pytest.raises(InputError, match=message):
        regressor.fit(["a"], ["b"])


@pytest.mark.parametrize(
    ("parameters", "ways"),
    [
        ({}, ("nearest", "candidates")),
        ({"preimage": "euler"}, ("euler",)),
        ({"candidates": ["b"]}, ("candidates",)),
        ({"beam_width": 4}, ("nearest",)),
        ({"language_model": LM}, ("nearest",)),
    ],
)
def test_an_option_that_only_one_pre_image_has_decides(parameters, ways):
    check_parameters(weft.StringRegressor(**parameters))
    assert ways_of(weft.StringRegressor(**parameters)) == ways


def test_several_strengths_are_tried_where_leaving_out_is_cheap():
    kernel = weft.NGramKernel(2)
    assert ridge_of(weft.StringRegressor(), kernel, 0).alpha == (0.0001, 0.001, 0.01, 0.1, 1.0)
    assert ridge_of(weft.StringRegressor(approximation="greedy"), kernel, 0).alpha == 0.01
    assert ridge_of(weft.StringRegressor(alpha=3.0), kernel, 0).alpha == 3.0


def test_candidates_are_different_and_of_known_symbols():
    assert candidates_of(weft.StringRegressor(), ["ab", "b", "ab"]) == [["a", "b"], ["b"]]
    assert candidates_of(weft.StringRegressor(candidates=["b", "a"]), ["ab"]) == [["b"], ["a"]]
    assert candidates_of(weft.StringRegressor(preimage="nearest"), ["ab"]) == []
    with pytest.raises(InputError, match="'z', which no training output has"):
        weft.StringRegressor(candidates=["bz"]).fit(["a", "b"], ["b", "b"])
