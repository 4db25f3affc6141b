"""Runs that are interrupted and go on."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.checkpoint import Checkpoint, Journal, current_journal, journal_kept
from weft.errors import InputError, ModelFileError
from weft.learners.monitor import untimed

rng = np.random.default_rng(0)
X = [list(rng.choice(list("abcdef"), 8)) for _ in range(30)]
Y = [[("x" if c in "ab" else "y") if rng.random() < 0.8 else "z" for c in row] for row in X]


def make(path, **options):
    return Journal(path, lambda: "key", **options)


def stop_after(n):
    """A check that interrupts the n-th step."""
    steps = iter(range(1, 1000))

    def check():
        if next(steps) == n:
            raise KeyboardInterrupt

    return check


def interrupted(path, estimator, n):
    with pytest.raises(KeyboardInterrupt), journal_kept(make(path, check=stop_after(n))):
        estimator.fit(X, Y)
    assert current_journal() is None


def resumed(path, estimator, **options):
    journal = make(path, resume=True, **options)
    assert journal.resumed
    with journal_kept(journal):
        estimator.fit(X, Y)
    journal.remove()
    assert not path.exists()
    return estimator


LEARNERS = {
    "perceptron": lambda: weft.Perceptron(max_iter=8),
    "crf": lambda: weft.CRF(tol=1e-9),
    "crf with l1": lambda: weft.CRF(c1=0.1, tol=1e-7),
    "crf by newton": lambda: weft.CRF(tol=1e-12, solver="newton"),
    "crf that max_iter ends": lambda: weft.CRF(tol=1e-9, max_iter=6),
    "svm": lambda: weft.StructuredSVM(max_iter=12, tol=1e-9),
    "z-score": lambda: weft.ZScore(tol=1e-12),
    "sampled moments": lambda: weft.SODA(moments="sampled", n_samples=5),
    "moment steps": lambda: weft.MomentSteps(n_steps=4),
    "choice of moments": lambda: weft.MomentLearner(alphas=(0.1, 1.0)),
    "spectral": lambda: weft.Spectral(max_iter=5),
    "spectral with log loss": lambda: weft.Spectral(loss="log", sparse=True, tau=0.1, max_iter=8),
    "expected loss": lambda: weft.ExpectedLoss(tol=1e-9),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_resumed_fit_is_the_one_that_was_never_interrupted(tmp_path, name):
    """Bit for bit, wherever it is interrupted: at the first step, in the middle, at the last."""

    def tagger():
        return weft.Tagger(LEARNERS[name](), random_state=3, n_jobs=1)

    steps = []
    with journal_kept(make(tmp_path / "count", check=lambda: steps.append(1))):
        whole = tagger().fit(X, Y)
    assert np.array_equal(whole.weights_, tagger().fit(X, Y).weights_)
    assert len(steps) > 2
    for n in {1, 2, len(steps) // 2, len(steps) - 1, len(steps)}:
        interrupted(tmp_path / "fit", tagger(), n)
        made = []
        other = resumed(tmp_path / "fit", tagger(), check=lambda: made.append(1))  # noqa: B023
        assert np.array_equal(whole.weights_, other.weights_)
        assert untimed(other.history_) == untimed(whole.history_)
        assert len(made) == len(steps) - n  # nothing is done again


def test_a_run_that_was_killed_goes_on_from_its_last_write(tmp_path):
    """A kill leaves no time to write: what counts is what was written before."""

    def killed():
        if next(steps) == 4:
            raise SystemExit

    def tagger():
        return weft.Tagger(weft.Perceptron(max_iter=8), random_state=3, n_jobs=1)

    steps = iter(range(1, 9))
    with pytest.raises(SystemExit), journal_kept(make(tmp_path / "fit", seconds=0.0, check=killed)):
        tagger().fit(X, Y)
    other = resumed(tmp_path / "fit", tagger())
    assert np.array_equal(other.weights_, tagger().fit(X, Y).weights_)
    assert other.n_iter_ == 8


def test_a_resumed_em_is_the_one_that_was_never_interrupted(tmp_path):
    pairs = [("ACGT", "ACT"), ("GGCA", "GGCCA"), ("TTAC", "TTC")]

    def fitted():
        return weft.Aligner("match", learner=weft.EM(tol=0.0, max_iter=5), n_jobs=1).fit(pairs)

    with pytest.raises(KeyboardInterrupt), journal_kept(make(tmp_path / "fit", check=stop_after(2))):
        fitted()
    with journal_kept(make(tmp_path / "fit", resume=True)):
        other = fitted()
    assert other.n_iter_ == 5
    assert np.array_equal(other.weights_, fitted().weights_)


def test_fits_that_were_complete_are_not_made_again(tmp_path):
    first, second = (weft.Tagger(weft.Perceptron(max_iter=2), random_state=seed, n_jobs=1) for seed in (1, 2))

    def fit_both():
        with journal_kept(make(tmp_path / "fit", check=stop_after(4))):
            first.fit(X, Y)
            second.fit(X, Y)

    with pytest.raises(KeyboardInterrupt):
        fit_both()
    steps = []
    with journal_kept(make(tmp_path / "fit", resume=True, check=lambda: steps.append(1))):
        again = weft.Tagger(weft.Perceptron(max_iter=2), random_state=1, n_jobs=1).fit(X, Y)
        assert steps == []
        second.fit(X, Y)
    assert np.array_equal(again.weights_, first.weights_)
    assert steps == []  # the fourth step was the last one of the second fit


def test_the_file_appears_in_time_and_belongs_to_one_run(tmp_path):
    path = tmp_path / "fit"
    journal = make(path)
    assert journal.is_empty
    with journal_kept(journal):
        weft.Tagger(weft.Perceptron(max_iter=2), n_jobs=1).fit(X, Y)
    assert not path.exists()
    assert not journal.is_empty
    with journal_kept(make(path, seconds=0.0)):
        weft.Tagger(weft.Perceptron(max_iter=2), n_jobs=1).fit(X, Y)
    assert path.exists()
    with pytest.raises(InputError, match="other data or options"):
        Journal(path, lambda: "other", resume=True)
    assert not Journal(tmp_path / "absent", lambda: "key", resume=True).resumed


def test_kills_lose_nothing():
    """The short form of `make test-kills`; a process of its own, because it forks."""
    script = Path(__file__).parents[1] / "kills.py"
    command = [sys.executable, script, "--saves", "10", "--trainings", "4"]
    command += ["--runs", "crf", "perceptron", "svm", "zscore", "steps"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("0 lost, 0 different, 0 leftovers") == 2


@pytest.mark.parametrize(
    "altered",
    [{"facts": None}, {"fits": None}, {"fits": [3]}, {"fits": [{}]}, {"fits": [{"facts": [], "done": True}]}],
    ids=str,
)
def test_a_file_made_by_hand_is_refused_in_one_line(tmp_path, altered):
    path = tmp_path / "x.checkpoint"
    Checkpoint(path).save(1, {}, {"key": "key", "fits": [None], "facts": {}, **altered})
    with pytest.raises(ModelFileError, match=r"x\.checkpoint is damaged: .*start afresh"):
        make(path, resume=True)
