import itertools
import json
from contextlib import nullcontext

import pytest

import weft
from weft.errors import InputError
from weft.kinds.halving import rounds_of, seconds_of, settings_to_try, tune_within


class Scored:
    """A kind whose scores are made up: examples are numbers, and penalties near 3 are best."""

    one = "number"
    dev = None
    file = "numbers"

    def __init__(self, n):
        self.examples = list(range(n))
        self.fits = []
        self.estimator = weft.Tagger(weft.CRF(c2=1.0))

    def stratum(self, example):
        return None

    group = stratum

    def fit(self, estimator, examples, dev):
        self.fits.append((estimator.learner.c2, len(examples)))

    def entries(self, examples):
        return range(len(examples))

    def located(self, *arguments, **options):
        return nullcontext()

    def scores(self, estimator, examples):
        c2 = estimator.learner.c2
        return {"accuracy": 1 / (1 + abs((0.1 if c2 is None else c2) - 3.0))}


@pytest.fixture
def kind():
    return Scored(900)


def test_the_best_of_the_space_is_found_and_its_score_is_of_examples_put_aside(kind):
    estimator, report = tune_within(kind, {"c2"}, (), 0, 1e6)
    assert estimator.learner.c2 == report["chosen"]["c2"] == 3.0
    assert not report["out_of_time"]
    assert report["n_aside"] == 180
    sizes = [point["examples"] for point in report["tried"]]
    assert sorted(set(sizes)) == [80, 240, 720]
    assert sizes.count(80) == 8
    assert sizes.count(720) == 2
    # The setting as it was given is compared to the end.
    assert {point["c2"] for point in report["tried"] if point["examples"] == 720} == {1.0, 3.0}
    # What was put aside takes no part in any fit: the last one has the other four fifths.
    assert kind.fits[-1] == (3.0, 720)
    assert max(size for _, size in kind.fits) == 720


def test_no_time_leaves_the_setting_as_it_was(kind):
    estimator, report = tune_within(kind, {"c2", "order"}, {"order"}, 0, -1.0)
    assert estimator.learner.c2 == 1.0
    assert report["out_of_time"]
    assert len(report["tried"]) == 1


def test_finished_trials_are_not_made_again(kind):
    class Notes:
        def __init__(self):
            self.facts = {}

        def note(self, name, scores):
            json.dumps(scores)
            self.facts[name] = scores

    journal = Notes()
    first = tune_within(kind, {"c2"}, (), 0, 1e6, journal=journal)[1]
    n_fits = len(kind.fits)
    assert tune_within(kind, {"c2"}, (), 0, 1e6, journal=journal)[1] == first
    assert len(kind.fits) == n_fits


def test_options_that_were_given_stay(kind):
    with pytest.raises(InputError, match="--tune auto has nothing to choose"):
        tune_within(kind, {"c2"}, {"c2"}, 0, 1.0)


def test_large_spaces_are_drawn_from():
    space = {name: (name, list(range(10))) for name in "abc"}
    points = settings_to_try(space, seed=1)
    assert points == settings_to_try(space, seed=1)
    assert points != settings_to_try(space, seed=2)
    assert points[0] == {"a": 0, "b": 0, "c": 0}
    assert len(points) in (27, 28)
    assert len({tuple(point.values()) for point in points}) == len(points)


@pytest.mark.parametrize("n", [2, 59, 60, 61, 179, 180, 181, 100_000])
def test_the_last_round_has_all_examples(n):
    rounds = rounds_of(n, 27)
    assert rounds[-1][0] == n
    assert all(few <= many for (few, _), (many, _) in itertools.pairwise(rounds))
    assert n < 60 or rounds[0][0] >= 60


@pytest.mark.parametrize("budget", ["", "10", "m", "-1m", "0s", "1e3s", "9" * 400 + "h", "10 minutes"])
def test_budgets_that_are_no_time(budget):
    with pytest.raises(InputError, match="--budget is"):
        seconds_of(budget)
