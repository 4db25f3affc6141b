"""A switch that is neither on nor off is refused, and numbers are compared whatever their type."""

import warnings

import numpy as np
import pytest

import weft
from weft.parameters.rules import check_switches, is_number

NO_SWITCH = ("no", "", 0, 1, None, [], np.nan, np.array(True))


@pytest.mark.parametrize("value", NO_SWITCH, ids=repr)
@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (weft.Tagger("unused"), "boundary"),
        (weft.SequenceSVC(), "bias"),
        (weft.Perceptron(), "early_update"),
        (weft.ChunkAligner(), "many_to_many"),
    ],
    ids=["tagger", "svc", "perceptron", "chunks"],
)
def test_what_is_no_switch_is_refused(owner, name, value):
    before = getattr(owner, name)
    owner.set_params(**{name: value})
    with pytest.raises(weft.InputError, match=rf"^{name} of {type(owner).__name__} is .*; use True or False\.$"):
        check_switches(owner)
    owner.set_params(**{name: np.bool_(before)})
    check_switches(owner)


def test_switches_of_parts_are_looked_at():
    with pytest.raises(weft.InputError, match=r"^early_update of Perceptron is 'no'"):
        weft.Tagger(weft.Perceptron(early_update="no")).fit([["a"]], [["x"]])


def test_switches_of_a_class_of_ones_own_are_looked_at():
    class Own(weft.Perceptron):
        def __init__(self, max_iter: int = 1, loud: bool = False):
            super().__init__(max_iter)
            self.loud = loud

    check_switches(Own())
    with pytest.raises(weft.InputError, match=r"^loud of Own is 2"):
        check_switches(Own(loud=2))


def test_numbers_of_32_bits_are_compared_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_number(np.float32(0.5), 1e100)
        assert is_number(10**400, 1e100) is False
        assert not any(is_number(value, 1e100) for value in (np.nan, -1, np.float32(-1), "1", None, 1j, np.inf))


@pytest.mark.parametrize(
    "fit",
    [
        lambda: weft.Tagger(weft.CRF(c2=np.float32(1.0))).fit([["a"]], [["x"]]),
        lambda: weft.SequenceSVC(C=np.float32(1.0), class_weight={"p": np.float32(2.0)}).fit(["a", "b"], ["p", "q"]),
        lambda: weft.StringRegressor(alpha=np.float32(0.5)).fit(["ab", "ba"], ["x", "y"]),
    ],
    ids=["tagger", "svc", "regressor"],
)
def test_strengths_of_32_bits_are_strengths(fit):
    fit()
