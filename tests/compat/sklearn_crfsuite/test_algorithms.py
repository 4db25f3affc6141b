"""Algorithms of CRFsuite as learners, and settings that mean nothing here."""

import pytest

import weft
from weft.compat.sklearn_crfsuite import CRF
from weft.compat.sklearn_crfsuite.algorithms import make_learner


def test_learners():
    assert make_learner(None, {}).get_params() == weft.CRF(c2=1.0, max_iter=1_000_000).get_params()
    assert (
        make_learner("l2sgd", {"c2": 0.5, "max_iterations": 7}).get_params()
        == weft.CRF(c2=0.5, max_iter=7).get_params()
    )
    assert make_learner("ap", {}).get_params() == weft.Perceptron(100).get_params()
    with pytest.warns(UserWarning, match="'pa' is learned as a structural SVM"):
        assert (
            make_learner("pa", {"c": 2.0, "pa_type": 1}).get_params()
            == weft.StructuredSVM(2.0, max_iter=100).get_params()
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"algorithm": "sgd"}, "algorithm is 'sgd'; use 'lbfgs', 'l2sgd', 'ap', 'pa', 'arow' or None"),
        (
            {"algorithm": "l2sgd", "c1": 0.1},
            "c1=0.1 given with algorithm='l2sgd', which has no such setting; .* leave c1",
        ),
        ({"algorithm": "pa", "pa_type": 2}, "pa_type=2 has no counterpart here; use pa_type=1"),
        ({"trainer_cls": object}, "trainer_cls given"),
        ({"min_freq": -1}, "min_frequency is -1; a number of at least 0"),
        ({"c2": -1}, "c2 of CRF is -1"),
    ],
)
def test_what_cannot_be_meant_is_refused(parameters, message):
    with pytest.raises(weft.InputError, match=message):
        CRF(**parameters).fit([[{"a": 1}]], [["x"]])


def test_what_has_no_effect_is_said_where_fit_was_called():
    with pytest.warns(UserWarning, match="linesearch='Backtracking' of algorithm='lbfgs' has no effect") as caught:
        CRF(linesearch="Backtracking").fit([[{"a": 1}]], [["x"]])
    assert caught[0].filename == __file__
