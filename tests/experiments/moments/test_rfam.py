"""Tests of `weft.experiments.moments.rfam`."""

import pytest

from weft.errors import InputError
from weft.experiments.moments import rfam
from weft.learners.moments.learners import ZScore


class Defeated(ZScore):
    """A learner whose solver fails for what it was asked, and would not for less."""

    def learn(self, batch, initial, monitor, random):
        if self.slack > 1.0:
            raise InputError("the quadratic programme of the constraints failed; lower slack or raise alpha.")
        return super().learn(batch, initial, monitor, random)


def test_nothing_else_is_fitted_under_the_name_of_a_method_that_failed():
    X, y = ["GGGAAACCC", "GCGAAAAGC"] * 3, ["(((...)))", "((.....))"] * 3
    with pytest.raises(InputError, match="the quadratic programme of the constraints failed"):
        rfam.fold_once(Defeated(0.01, margin_constraints=True, slack=100.0), X, y, {0, 1})
