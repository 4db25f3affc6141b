"""Baselines of the spectral experiment: patterns against enumeration, latent states against small puzzles."""

import pytest


@pytest.mark.slow
@pytest.mark.needs_data("nettalk")
def test_quick_runs():
    from weft.experiments.registry import run_experiment

    sizes = run_experiment("nettalk-size", quick=True)
    assert sizes.find("200", "spectral").mean > sizes.find("200", "latent SVM").mean
    path = run_experiment("nettalk-path", quick=True)
    assert path.quantities == ["development accuracy, %", "gain over unregularised"]
