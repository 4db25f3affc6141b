"""Baselines of the spectral experiment: patterns against enumeration, latent states against small puzzles."""

from types import SimpleNamespace

import pytest

from weft.experiments.spectral import nettalk


@pytest.mark.parametrize("n", [500, 5000, 15000])
def test_every_method_is_tuned_over_the_same_steps_at_every_size(n, monkeypatch):
    best = {"nuclear": (1.0, 12.0), "frobenius": (0.3, 40.0), None: (0.05, 0.0)}
    tried = []

    def matrix(penalty, tau, step, n_words, max_iter, ties="label"):
        model = SimpleNamespace(learner=SimpleNamespace(step=step, tau=tau), ties=ties)
        model.right = (step == best[penalty][0]) + (tau == best[penalty][1])
        model.fit = lambda X, y: tried.append((penalty, step)) or model
        return model

    monkeypatch.setattr(nettalk, "_matrix", matrix)
    monkeypatch.setattr(nettalk, "accuracy", lambda model, part: float(model.right))
    found = nettalk.tuned_matrices(n, ([], []), None, False, lambda method: None)
    for method, (penalty, _) in nettalk.MATRICES.items():
        assert {step for kind, step in tried if kind == penalty} == set(nettalk.STEPS)
        assert (found[method].learner.step, found[method].learner.tau) == best[penalty]
    for method, twin in nettalk.BY_FREQUENCY.items():
        assert (found[method].ties, found[method].learner) == ("frequency", found[twin].learner)


@pytest.mark.parametrize("n", [500, 5000, 15000])
def test_no_size_changes_the_step_that_was_asked_for(n):
    assert nettalk._matrix(None, 0.0, 0.05, n, 110).learner.step == 0.05


def test_gains_are_those_over_a_model_whose_step_is_tuned_too(monkeypatch):
    """Each method is right with a step and a strength of its own; so is the model that gains are counted from."""
    best = {"nuclear": (0.3, 12.0), "frobenius": (0.1, 20.0), None: (1.0, 0.0)}
    tried = set()

    def matrix(penalty, tau, step, n_words, max_iter, ties="label"):
        model = SimpleNamespace(learner=SimpleNamespace(step=step, tau=tau), learner_=SimpleNamespace(tau_=tau))
        model.right = 2.0 * (step == best[penalty][0]) + (tau == best[penalty][1])
        model.fit = lambda X, y: tried.add((penalty, step)) or model
        return model

    monkeypatch.setattr(nettalk, "_matrix", matrix)
    monkeypatch.setattr(nettalk, "accuracy", lambda model, part: model.right)
    monkeypatch.setattr(nettalk, "split", lambda *_: nettalk.Split(([], []), ([], []), ([], [])))
    report = nettalk.run_path(n_replicates=1, progress=lambda text: None)
    for penalty in best:
        assert {step for kind, step in tried if kind == penalty} == set(nettalk.STEPS)
    gains = {(m.setting, m.method): m.mean for m in report.measurements if m.quantity == "gain over unregularised"}
    # Without a penalty step and strength are right when tuned, the strength alone at a step of 0.3.
    assert gains == {
        ("tuned", "spectral"): 0.0,
        ("tuned", "l2"): 0.0,
        ("equal step", "spectral"): 2.0,
        ("equal step", "l2"): 0.0,
    }
    assert report.facts["steps"] == {"spectral": [0.3], "l2": [0.1], "unregularised": [1.0]}


@pytest.mark.slow
@pytest.mark.needs_data("nettalk")
def test_quick_runs():
    from weft.experiments.registry import run_experiment

    sizes = run_experiment("nettalk-size", quick=True)
    assert sizes.find("200", "spectral").mean > sizes.find("200", "latent SVM").mean
    path = run_experiment("nettalk-path", quick=True)
    assert path.quantities == ["development accuracy, %", "gain over unregularised"]
