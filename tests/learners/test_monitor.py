from types import SimpleNamespace

import numpy as np
import pytest

from weft.learners import monitor as monitor_module
from weft.learners.monitor import MANY_WEIGHTS, Monitor


def run(monitor, scores):
    """Feed one iteration per held-out score; the weights carry the iteration number."""
    stopped = None
    with monitor:
        monitor.start("test", 10)
        for iteration in range(1, len(scores) + 1):
            if monitor.record(iteration, 10.0 - iteration, np.array([float(iteration)])):
                stopped = iteration
                break
        monitor.finish(iteration)
    return stopped


def watch(scores, **parameters):
    return Monitor(held_out=lambda weights: scores[int(weights[0]) - 1], **parameters)


def test_weights_are_asked_for_where_they_are_scored():
    assert Monitor(held_out=lambda _: 1.0).is_scored
    assert not Monitor(patience=3).is_scored


def test_history_without_held_out_data_has_no_score():
    monitor = Monitor()
    assert run(monitor, [0, 0, 0]) is None
    assert [set(entry) for entry in monitor.history] == [{"iteration", "objective", "seconds"}] * 3
    assert [entry["objective"] for entry in monitor.history] == [9.0, 8.0, 7.0]
    seconds = [entry["seconds"] for entry in monitor.history]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    assert monitor.best_weights is None


@pytest.mark.parametrize(
    ("scores", "patience", "stopped", "best"),
    [
        ([0.1, 0.5, 0.4, 0.3, 0.9], 2, 4, 2),
        ([0.1, 0.5, 0.4, 0.6, 0.5, 0.5], 2, 6, 4),
        ([0.5, 0.5, 0.5], 2, 3, 1),  # an equal score is not better
        ([0.1, 0.2, 0.3], 2, None, 3),
        ([0.0, 0.0], 5, None, 1),
    ],
)
def test_patience_stops_and_keeps_the_best(scores, patience, stopped, best):
    monitor = watch(scores, patience=patience)
    assert run(monitor, scores) == stopped
    assert monitor.best_weights.tolist() == [best]
    assert [entry["score"] for entry in monitor.history] == scores[: stopped or len(scores)]


def test_without_patience_scores_are_only_recorded():
    monitor = watch([0.9, 0.1, 0.1, 0.1])
    assert run(monitor, [0.9, 0.1, 0.1, 0.1]) is None
    assert monitor.best_weights is None


def test_best_weights_are_a_copy():
    weights = np.zeros(2)
    with Monitor(held_out=lambda _: 1.0, patience=3) as monitor:
        monitor.record(1, 0.0, weights)
    weights += 5
    assert monitor.best_weights.tolist() == [0.0, 0.0]


def test_the_bar_shows_objective_and_score_on_standard_error(capsys):
    run(watch([0.25, 0.5], verbose=1), [0.25, 0.5])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "test" in captured.err
    assert "2/2" in captured.err
    assert "held out 0.5" in captured.err


def test_the_bar_stops_when_a_fit_fails(capsys):
    def fail():
        with monitor:
            monitor.start("test", 3)
            raise RuntimeError("lost")

    monitor = Monitor(verbose=1)
    with pytest.raises(RuntimeError, match="lost"):
        fail()
    assert not monitor._progress.live.is_started
    assert "test" in capsys.readouterr().err


def test_the_bar_says_why_the_first_iteration_may_wait(capsys):
    with Monitor(verbose=1) as monitor:
        monitor.start("CRF", 10)
        assert monitor._progress.tasks[0].fields["state"] == "the first run compiles"
        monitor.record(1, 2.5, np.zeros(1))
        assert monitor._progress.tasks[0].fields["state"] == "objective 2.5"
    with Monitor(verbose=1) as monitor:
        monitor.start("SODA", 1)
    assert "compiles" not in capsys.readouterr().err


def test_a_held_out_score_that_is_better_by_rounding_alone_is_no_better():
    scores = [0.3, 0.1 + 0.2, 0.1 + 0.2, 0.5]  # the second and third are larger in the last digit
    monitor = watch(scores, patience=2)
    assert run(monitor, scores) == 3
    assert monitor.best_weights.tolist() == [1.0]


def test_unused_memory_is_given_back_before_and_after_the_first_iteration_of_many_weights(monkeypatch):
    given = []
    monkeypatch.setattr(monitor_module, "give_back_unused", lambda: given.append(len(monitor.history)))
    for n_weights, gives_back, expected in (
        (MANY_WEIGHTS, True, [0, 0]),
        (MANY_WEIGHTS - 1, True, []),
        (MANY_WEIGHTS, False, []),
    ):
        given.clear()
        with Monitor(gives_back=gives_back) as monitor:
            monitor.learn_from(SimpleNamespace(n_features=n_weights))
            for iteration in (1, 2, 3):
                monitor.record(iteration, 1.0, np.zeros(n_weights))
        assert given == expected
