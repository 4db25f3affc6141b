"""Every estimator that takes examples in parts refuses the same things in the same words."""

import pytest

import weft
from weft.errors import InputError
from weft.estimators.given_parts import given_parts
from weft.scale import Examples

PARTS = Examples.from_lists(["ab", "ba"], ["xy", "yx"], n_parts=2)
ESTIMATORS = {
    "tagger": (weft.Tagger, "no y and no sample_weight"),
    "rewriter": (weft.Rewriter, "no y, no tags and no sample_weight"),
    "regressor": (weft.StringRegressor, "no y and no groups"),
    "dependency": (weft.KernelDependencyEstimator, "no y and no matrix"),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parts_have_their_outputs_and_lists_stay_here(name, tmp_path):
    new, words = ESTIMATORS[name]
    with pytest.raises(InputError, match=f"X has its outputs with it; pass {words} beside examples in parts"):
        new().fit(PARTS, ["xy", "yx"])
    with pytest.raises(InputError, match="client and spill need examples in parts; pass"):
        new().fit(["ab", "ba"], ["xy", "yx"], spill=tmp_path)


@pytest.mark.parametrize("place", [(None, "folder"), (object(), None)], ids=["spill", "client"])
def test_a_place_needs_parts(place):
    assert given_parts(PARTS, *place, y=None, groups=None) is PARTS
    with pytest.raises(InputError, match="client and spill need examples in parts"):
        given_parts(["ab"], *place, y=["xy"])
