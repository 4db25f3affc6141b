"""Experiments on alignments and folds: their data and their pieces, and small runs on real data."""

import numpy as np
import pytest

from weft.experiments.moments.alignment_size import CONSISTENT, MATRIX, METHODS, MatrixReport, Task, draw_pairs, run
from weft.learners.moments.learners import SODA


def test_pairs_are_equal_at_half_of_the_positions():
    pairs = draw_pairs(50, np.random.default_rng(0))
    assert all(sum(a == b for a, b in zip(*pair, strict=True)) == 5 for pair in pairs)
    assert len(set(pairs)) == 50


def test_soda_is_consistent_where_the_ratio_allows_it():
    tasks = [Task.draw(CONSISTENT, 100, 200, np.random.default_rng(seed)) for seed in range(3)]
    assert np.mean([task.error(task.learn(SODA(1e-6), 100)) for task in tasks]) <= 3.0
    assert np.mean([task.error(task.learn(SODA(1e-6), 1)) for task in tasks]) <= 15.0


def test_the_true_matrix_makes_no_error():
    task = Task.draw(MATRIX, 5, 20, np.random.default_rng(0))
    assert task.error(task.truth) == 0.0
    assert len(task.truth) == 211
    matrix = task.matrix(task.truth)
    assert matrix.values.diagonal().mean() == pytest.approx(1.0)
    assert matrix.values.diagonal().mean() > matrix.values.mean()


def test_a_small_run_draws_curves_and_matrices(monkeypatch, tmp_path):
    few = {kind: {"SODA": methods["SODA"]} for kind, methods in METHODS.items()}
    monkeypatch.setattr("weft.experiments.moments.alignment_size.METHODS", few)
    monkeypatch.setattr("weft.experiments.moments.alignment_size.SIZES", (1, 2, 5))
    monkeypatch.setattr("weft.experiments.moments.alignment_size.N_TEST", 20)
    report = run(quick=True, n_replicates=1, seed=0, progress=lambda text: None)
    assert isinstance(report, MatrixReport)
    assert list(report.matrices) == ["given, over two gaps", "SODA, 5 pairs"]
    assert report.find("1", "SODA", f"% misaligned, {MATRIX}").published == 96.12
    for path in report.write(tmp_path):
        assert path.stat().st_size > 1000
