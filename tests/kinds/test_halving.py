import itertools
import json
import random
from contextlib import nullcontext

import pytest

import weft
from weft.errors import InputError
from weft.kinds.halving import _Search, rounds_of, seconds_of, tune_within
from weft.kinds.options import learner_settings
from weft.kinds.recipe import Recipe
from weft.kinds.settings import AS_GIVEN, settings_to_try


class Scored:
    """A kind whose scores are made up: examples are numbers, and penalties near 3 are best."""

    one = "number"
    dev = None
    file = "numbers"

    def __init__(self, n):
        self.examples = list(range(n))
        self.fits = []
        self.estimator = weft.Tagger(weft.CRF(c2=1.0))

    def recipe(self):
        return Recipe(prepare=lambda kind: None, grids={})

    def stratum(self, example):
        return None

    group = stratum

    def fit(self, estimator, examples, dev):
        self.fits.append((getattr(estimator.learner, "c2", None), len(examples)))

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
    # There is time for all examples in one round.
    assert {point["examples"] for point in report["tried"]} == {720}
    assert [point.get("c2") for point in report["tried"]] == [None, 0.01, 0.03, 0.1, 0.3, 3.0, 10.0]
    # What was put aside takes no part in any fit: the last one has the other four fifths.
    assert kind.fits[-1] == (3.0, 720)
    assert max(size for _, size in kind.fits) == 720


def test_where_time_is_short_all_are_compared_on_few_examples_and_the_best_on_more(kind, monkeypatch):
    monkeypatch.setattr("weft.kinds.halving._Search.pace", lambda self, setting, n_examples: 0.0005)
    estimator, report = tune_within(kind, {"c2"}, (), 0, 4.0)
    assert estimator.learner.c2 == 3.0
    sizes = [point["examples"] for point in report["tried"]]
    assert (sizes.count(240), sizes.count(720), len(sizes)) == (7, 4, 11)
    # The settings as given are compared to the end.
    assert {point.get("c2", 1.0) for point in report["tried"] if point["examples"] == 720} >= {1.0, 3.0}


def test_nothing_is_chosen_that_was_not_compared_on_the_last_examples(kind, monkeypatch):
    """Few examples that say the contrary of many do not decide."""
    monkeypatch.setattr("weft.kinds.halving._Search.pace", lambda self, setting, n_examples: 0.0005)

    def few(estimator, examples):
        return {"accuracy": (estimator.learner.c2 or 0.1) * (1 if len(examples) < 100 else -1)}

    monkeypatch.setattr(kind, "scores", few)
    kind.estimator.set_params(learner__c2=0.01)
    estimator, report = tune_within(kind, {"c2"}, (), 0, 4.0)
    assert estimator.learner.c2 == 0.01
    assert report["chosen"] == {}


def test_if_the_last_round_compares_nothing_the_one_before_decides(kind, monkeypatch):
    monkeypatch.setattr("weft.kinds.halving._Search.pace", lambda self, setting, n_examples: 0.0005)
    of_time = _Search.round

    def late(self, settings, n_examples, *arguments):
        return of_time(self, [AS_GIVEN] if n_examples == 720 else settings, n_examples, *arguments)

    monkeypatch.setattr("weft.kinds.halving._Search.round", late)
    estimator, report = tune_within(kind, {"c2"}, (), 0, 4.0)
    assert estimator.learner.c2 == report["chosen"]["c2"] == 3.0
    assert report["out_of_time"]


def test_a_gain_that_folds_do_not_agree_on_leaves_the_settings_as_given(kind, monkeypatch):
    noise = random.Random(0)
    monkeypatch.setattr(kind, "scores", lambda estimator, examples: {"accuracy": noise.random() / 100})
    chosen = [len(tune_within(kind, {"c2"}, (), seed, 1e6)[1]["chosen"]) for seed in range(20)]
    assert sum(chosen) <= 15
    flat = {"accuracy": 0.5}
    monkeypatch.setattr(kind, "scores", lambda estimator, examples: flat)
    assert tune_within(kind, {"c2"}, (), 0, 1e6)[1]["chosen"] == {}


def test_changes_that_gain_are_put_together(kind, monkeypatch):
    def scores(estimator, examples):
        return {"accuracy": 0.5 + 0.1 * (estimator.order == 2) + 0.1 * (estimator.learner.c2 == 0.3)}

    monkeypatch.setattr(kind, "scores", scores)
    monkeypatch.setattr("weft.kinds.halving.N_SETTINGS", 1)  # none at random
    estimator, report = tune_within(kind, {"c2", "order"}, (), 0, 1e6)
    assert (estimator.order, estimator.learner.c2) == (2, 0.3)
    assert report["chosen"] == {"order": 2, "c2": 0.3}


def test_a_plain_change_is_preferred_to_several_that_folds_do_not_agree_on(kind, monkeypatch):
    by_fold = itertools.cycle((-0.05, 0.05, 0.003))  # a thousandth better on average, within the error

    def scores(estimator, examples):
        more = next(by_fold) if estimator.learner.c2 != 1.0 else 0.0
        return {"accuracy": (0.6 if estimator.order == 2 else 0.3) + more}

    monkeypatch.setattr(kind, "scores", scores)
    assert tune_within(kind, {"c2", "order"}, (), 0, 1e6)[1]["chosen"] == {"order": 2}


def test_other_parts_are_tried_unless_their_options_were_given(kind, monkeypatch):
    recipe = Recipe(prepare=lambda kind: None, grids={}, wholes=lambda kind: learner_settings(["svm"]))
    kind.recipe = lambda: recipe
    monkeypatch.setattr(
        kind, "scores", lambda estimator, examples: {"accuracy": getattr(estimator.learner, "C", 0.0) / 100}
    )
    estimator, report = tune_within(kind, {"c2", "C"}, (), 0, 1e6)
    # C is an option of the other learner alone.
    assert isinstance(estimator.learner, weft.StructuredSVM)
    assert report["chosen"]["learner"] == "svm"
    assert all("c2" not in point for point in report["tried"] if "learner" in point)
    assert any(point.get("C") for point in report["tried"])
    for given in ({"learner"}, {"c2"}):
        _, report = tune_within(kind, {"c2", "c1"}, given, 0, 1e6)
        assert not any("learner" in point for point in report["tried"])


def test_what_would_take_more_than_the_time_left_is_not_tried(kind, monkeypatch):
    kind.recipe = lambda: Recipe(prepare=lambda kind: None, grids={}, wholes=lambda kind: learner_settings(["svm"]))
    slow = lambda self, setting, n_examples: 1.0 if "learner" in setting.options else 1e-6  # noqa: E731
    monkeypatch.setattr("weft.kinds.halving._Search.pace", slow)
    monkeypatch.setattr(kind, "scores", lambda estimator, examples: {"accuracy": 0.5})
    _, report = tune_within(kind, {"c2"}, (), 0, 60.0)
    assert report["out_of_time"]
    assert not any("learner" in point for point in report["tried"])
    assert {point["c2"] for point in report["tried"] if "c2" in point} == {0.01, 0.03, 0.1, 0.3, 3.0, 10.0}
    _, report = tune_within(kind, {"c2"}, (), 0, 1e6)
    assert any("learner" in point for point in report["tried"])


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


def test_changes_alone_come_first_then_some_at_random(kind):
    options = {"c2", "c1", "order"}
    found = [dict(each.options) for each in settings_to_try(kind, options, (), 1, 27)]
    assert found == [dict(each.options) for each in settings_to_try(kind, options, (), 1, 27)]
    assert found != [dict(each.options) for each in settings_to_try(kind, options, (), 2, 27)]
    # Of each option the first other value, then the second of those that have one.
    assert found[:5] == [{}, {"order": 2}, {"c2": 0.01}, {"c1": 0.1}, {"c2": 0.03}]
    assert len(found) == 27
    assert all(len(each) > 1 for each in found[10:])
    assert len({json.dumps(each, sort_keys=True) for each in found}) == 27


@pytest.mark.parametrize("n", [2, 59, 60, 61, 179, 180, 181, 100_000])
@pytest.mark.parametrize("pace", [0.0, 1e-6, 1e-3, 10.0])
def test_rounds_grow_and_have_all_examples_if_there_is_time(n, pace):
    sizes = rounds_of(n, 27, pace, 60.0)
    assert all(few < many for few, many in itertools.pairwise(sizes))
    assert sizes[0] >= min(n, 60)
    assert sizes[-1] <= n
    assert sizes[-1] == n or 4 * pace * n > 0.4 * 60.0


@pytest.mark.parametrize("budget", ["", "10", "m", "-1m", "0s", "1e3s", "9" * 400 + "h", "10 minutes"])
def test_budgets_that_are_no_time(budget):
    with pytest.raises(InputError, match="--budget is"):
        seconds_of(budget)
