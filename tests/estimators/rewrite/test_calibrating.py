"""How sure rewriters with tags are: curves from words that nothing was learned from, and what they leave alone."""

import itertools
import warnings
from copy import copy

import numpy as np
import pytest

import weft
from weft.checkpoint import Journal, journal_kept
from weft.errors import InputError
from weft.estimators.rewrite import calibrating
from weft.metrics.calibration import expected_calibration_error
from weft.rewriting.calibration import Calibration
from weft.rewriting.edits import training
from weft.rewriting.edits.two_ways import N_VOTES

N_WORDS, N_NEW = 240, 800


def irregular(n_words, seed):
    """Lemmas, of which a third have another past than the others; nothing tells which."""
    random = np.random.default_rng(seed)
    lemmas = ["".join(random.choice(list("abdegiklmnorstu"), 6)) for _ in range(n_words)]
    tags = ["V;PST" if k % 2 else "V;PRS" for k in range(n_words)]
    pasts = random.choice(["ed", "o"], n_words, p=[2 / 3, 1 / 3])
    return lemmas, [a + (b if "PST" in t else "") for a, b, t in zip(lemmas, pasts, tags, strict=True)], tags


def fitted(n_words=N_WORDS, **options):
    lemmas, forms, tags = irregular(n_words, 0)
    return weft.Rewriter(random_state=0, n_jobs=1).fit(lemmas, forms, tags=tags, **options)


@pytest.fixture(scope="module")
def rewriter():
    """A rewriter of irregular forms."""
    return fitted()


@pytest.fixture(scope="module")
def bare(rewriter):
    """The same without its curve."""
    found = copy(rewriter)
    found.calibration_ = None
    return found


def test_new_forms_are_right_as_often_as_is_said(rewriter, bare):
    lemmas, forms, tags = irregular(N_NEW, 1)
    right = [a == b for a, b in zip(rewriter.predict(lemmas, tags), forms, strict=True)]
    before, after = (each.confidence(lemmas, tags) for each in (bare, rewriter))
    assert abs(np.mean(after) - np.mean(right)) < 0.05 < 0.08 < np.mean(before) - np.mean(right)
    assert expected_calibration_error(after, right) < 0.8 * expected_calibration_error(before, right)


def test_forms_and_their_order_are_those_without_the_curve(rewriter, bare):
    lemmas, _, tags = irregular(100, 2)
    assert rewriter.predict(lemmas, tags) == bare.predict(lemmas, tags)
    found, before = (each.predict_kbest(lemmas, 5, tags) for each in (rewriter, bare))
    for new, old in zip(found, before, strict=True):
        values = [probability for _, probability in new]
        assert [form for form, _ in new] == [form for form, _ in old]
        assert all(a >= b for a, b in itertools.pairwise(values))
        assert values[-1] >= 0.0
        assert sum(values) <= 1.0 + 1e-9
        assert rewriter.calibration_.apply(old[:2]) == new[:2]  # whatever the length of the list
        assert values[0] == rewriter.calibration_.of_best(old[0][1])


def test_probabilities_do_not_hang_on_how_many_forms_are_asked_for(rewriter):
    """As long as no more are than take part in the vote anyway."""
    lemmas, _, tags = irregular(100, 2)
    many = rewriter.predict_kbest(lemmas, N_VOTES, tags)
    for k in (1, 3):
        assert rewriter.predict_kbest(lemmas, k, tags) == [found[:k] for found in many]
    assert rewriter.predict(lemmas, tags) == [found[0][0] for found in many]
    assert rewriter.confidence(lemmas, tags).tolist() == [found[0][1] for found in many]


def test_the_curve_is_learned_after_all_that_predictions_hang_on(rewriter, monkeypatch):
    monkeypatch.setattr(calibrating, "FEWEST", N_WORDS + 1)
    without = fitted()
    assert without.calibration_ is None
    np.testing.assert_array_equal(without.weights_, rewriter.weights_)
    np.testing.assert_array_equal(without.edits_.backwards.weights, rewriter.edits_.backwards.weights)


def test_the_curve_is_the_same_for_any_threads_and_in_a_file(rewriter, tmp_path):
    lemmas, forms, tags = irregular(N_WORDS, 0)
    again = weft.Rewriter(random_state=0, n_jobs=2).fit(lemmas, forms, tags=tags)
    assert again.calibration_ == rewriter.calibration_
    weft.save(rewriter, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.calibration_ == rewriter.calibration_
    assert loaded.votes_calibration_ is None
    np.testing.assert_array_equal(loaded.confidence(lemmas[:9], tags[:9]), rewriter.confidence(lemmas[:9], tags[:9]))


def test_a_curve_of_the_votes_stays_one_in_a_file(rewriter, tmp_path):
    """With rerank the chain has a curve of its own, and files that are older than those of forms have it alone."""
    older = copy(rewriter)
    older.calibration_, older.votes_calibration_ = None, Calibration(0.5, -1.0)
    weft.save(older, tmp_path / "older.weft")
    loaded = weft.load(tmp_path / "older.weft")
    assert (loaded.calibration_, loaded.votes_calibration_) == (None, Calibration(0.5, -1.0))
    lemmas, _, tags = irregular(20, 3)
    assert loaded.predict_kbest(lemmas, 3, tags) == older.predict_kbest(lemmas, 3, tags)
    assert loaded.predict_kbest(lemmas, 3, tags) != rewriter.predict_kbest(lemmas, 3, tags)


def counted(monkeypatch):
    """Sizes of what edits are learned from, in turn."""
    sizes = []
    learn = training.learn_both_ways
    monkeypatch.setattr(
        training, "learn_both_ways", lambda pairs, *rest: sizes.append(len(pairs)) or learn(pairs, *rest)
    )
    return sizes


@pytest.mark.parametrize(("enough", "sizes"), [(50, [120, 60]), (100, [120, 60, 60])])
def test_half_of_the_words_suffice_where_they_are_many(monkeypatch, enough, sizes):
    found = counted(monkeypatch)
    monkeypatch.setattr(calibrating, "ENOUGH_JUDGED", enough)
    fitted(120)
    assert found == sizes


def test_words_to_tune_on_say_how_sure_to_be_without_another_training(monkeypatch, rewriter):
    sizes = counted(monkeypatch)
    lemmas, forms, tags = irregular(120, 4)
    told = fitted(X_dev=lemmas, y_dev=["?" + form[1:] for form in forms], tags_dev=tags)
    assert sizes == [N_WORDS]
    assert np.mean(told.confidence(lemmas, tags)) < 0.25 < 0.75 < np.mean(rewriter.confidence(lemmas, tags))


def test_few_words_leave_probabilities_as_they_are(monkeypatch):
    sizes = counted(monkeypatch)
    assert fitted(calibrating.FEWEST - 1).calibration_ is None
    assert sizes == [calibrating.FEWEST - 1]


def test_words_without_weight_are_not_judged(monkeypatch):
    judged = []
    calibrate = calibrating.calibrate_on
    monkeypatch.setattr(
        calibrating, "calibrate_on", lambda found, *rest: judged.append(len(found)) or calibrate(found, *rest)
    )
    fitted(150, sample_weight=[1.0] * 110 + [0.0] * 40)
    assert judged == [110]


@pytest.mark.parametrize("n_weighed", [3, calibrating.FEWEST - 1])
def test_few_words_with_weight_leave_probabilities_as_they_are(monkeypatch, n_weighed):
    """Whatever others there are, and without a training for nothing."""
    sizes = counted(monkeypatch)
    weights = np.arange(160) < n_weighed
    assert fitted(160, sample_weight=weights.astype(float)).calibration_ is None
    assert sizes == [160]


@pytest.mark.parametrize("seed", range(4))  # the word is in either part
def test_a_part_without_a_word_to_judge_is_passed_over(monkeypatch, seed):
    monkeypatch.setattr(calibrating, "FEWEST", 1)
    lemmas, forms, tags = irregular(12, 0)
    rewriter = weft.Rewriter(random_state=seed, n_jobs=1)
    assert rewriter.fit(lemmas, forms, tags=tags, sample_weight=[1.0] + [0.0] * 11).calibration_ is None


def test_letters_and_tags_that_a_half_lacks_hinder_nothing():
    lemmas, forms, tags = irregular(120, 0)
    lemmas[0], forms[0], tags[1] = "x" + lemmas[0], "x" + forms[0], "V;PST;FEM"
    for unknown in ("copy", "drop", "error"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nothing is said of words that are known
            found = weft.Rewriter(random_state=0, n_jobs=1, unknown=unknown).fit(lemmas, forms, tags=tags)
        assert found.calibration_ is not None
        assert found.unknown == unknown


def test_letters_of_words_to_tune_on_that_training_lacks_are_copied():
    lemmas, forms, tags = irregular(120, 4)
    marked = [["\N{SNOWMAN}" + each for each in texts] for texts in (lemmas, forms)]
    plain, told = (fitted(X_dev=X, y_dev=y, tags_dev=tags) for X, y in ((lemmas, forms), marked))
    assert np.mean(told.confidence(lemmas, tags)) > 0.7 * np.mean(plain.confidence(lemmas, tags))


def test_a_learner_that_halves_are_too_few_for_learns_without_a_curve(monkeypatch):
    learn = training.learn_both_ways

    def refusing(pairs, *rest):
        if len(pairs) < 120:
            raise InputError("too few words")
        return learn(pairs, *rest)

    monkeypatch.setattr(training, "learn_both_ways", refusing)
    assert fitted(120).calibration_ is None


def test_tags_without_copies_have_a_curve_of_the_votes():
    """Where outputs do not repeat inputs there are no edits, and the curve is that of strings without tags."""
    lemmas, forms, tags = irregular(800, 0)
    found = weft.Rewriter(random_state=0, n_jobs=1).fit(lemmas, [form.upper() for form in forms], tags=tags)
    assert found.edits_ is None
    assert found.calibration_ is not None
    lemmas, forms, tags = irregular(N_NEW, 1)
    right = [a == b.upper() for a, b in zip(found.predict(lemmas, tags), forms, strict=True)]
    assert abs(np.mean(found.confidence(lemmas, tags)) - np.mean(right)) < 0.1


def test_a_fit_that_was_interrupted_goes_on_to_the_same_curve(tmp_path, monkeypatch):
    monkeypatch.setattr(calibrating, "FEWEST", 6)
    monkeypatch.setattr("weft.rewriting.calibration.FEWEST", 6)
    steps = []

    def save(name, journal, stop=None):
        def check():
            steps.append(name)
            if steps.count(name) == stop:
                raise KeyboardInterrupt

        with journal_kept(Journal(tmp_path / journal, lambda: "key", check=check, resume=name == "later")):
            weft.save(fitted(12), tmp_path / name)

    save("whole", "a")
    assert weft.load(tmp_path / "whole").calibration_ is not None
    with pytest.raises(KeyboardInterrupt):
        save("cut", "b", stop=steps.count("whole"))
    save("later", "b")
    assert steps.count("later") < steps.count("whole")
    assert (tmp_path / "later").read_bytes() == (tmp_path / "whole").read_bytes()
