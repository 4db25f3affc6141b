"""Runs that are interrupted and go on."""

import numpy as np
import pytest

import weft
from weft.checkpoint import Checkpoint, Journal, current_journal, journal_kept
from weft.errors import InputError, ModelFileError

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


def resumed(path, estimator):
    journal = make(path, resume=True)
    assert journal.resumed
    with journal_kept(journal):
        estimator.fit(X, Y)
    journal.remove()
    assert not path.exists()
    return estimator


def test_a_resumed_perceptron_is_the_one_that_was_never_interrupted(tmp_path):
    def tagger():
        return weft.Tagger(weft.Perceptron(max_iter=8), random_state=3, n_jobs=1)

    whole = tagger().fit(X, Y)
    interrupted(tmp_path / "fit", tagger(), 3)
    other = resumed(tmp_path / "fit", tagger())
    assert np.array_equal(whole.weights_, other.weights_)
    assert [entry["iteration"] for entry in other.history_] == list(range(1, 9))
    assert [entry["objective"] for entry in other.history_] == [entry["objective"] for entry in whole.history_]


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


def test_a_resumed_crf_reaches_the_same_optimum_and_counts_on(tmp_path):
    def tagger(**options):
        return weft.Tagger(weft.CRF(tol=1e-9, **options), n_jobs=1)

    whole = tagger().fit(X, Y)
    interrupted(tmp_path / "fit", tagger(), 4)
    other = resumed(tmp_path / "fit", tagger())
    np.testing.assert_allclose(other.weights_, whole.weights_, atol=1e-3)
    assert [entry["iteration"] for entry in other.history_] == list(range(1, other.n_iter_ + 1))
    assert other.history_[4]["objective"] < other.history_[3]["objective"]
    interrupted(tmp_path / "fit", tagger(max_iter=6), 4)
    assert resumed(tmp_path / "fit", tagger(max_iter=6)).n_iter_ == 6
    interrupted(tmp_path / "fit", tagger(max_iter=6), 6)
    assert resumed(tmp_path / "fit", tagger(max_iter=6)).n_iter_ == 6


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
