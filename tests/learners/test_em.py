"""Expectation-maximisation over unaligned pairs."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.errors import InputError

LETTERS = "ACGT"


def mutated_pairs(n_pairs, seed):
    """Strings and copies with a letter lost and some A turned into G."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n_pairs):
        first = "".join(random.choice(list(LETTERS), 12))
        second = "".join("G" if c == "A" and random.random() < 0.5 else c for c in first)
        place = int(random.integers(1, 11))
        y.append((first, second[:place] + "-" + second[place + 1 :]))
        X.append((first, y[-1][1].replace("-", "")))
    return X, y


@pytest.mark.parametrize("gaps", ["affine", "linear"])
@pytest.mark.parametrize("model", ["match", "substitution"])
def test_the_likelihood_rises_and_alignments_are_found(model, gaps):
    X, _ = mutated_pairs(60, 0)
    aligner = weft.Aligner(model, gaps, weft.EM(smoothing=1e-3, max_iter=15, tol=0.0)).fit(X)
    costs = np.array([entry["objective"] for entry in aligner.history_])
    assert (np.diff(costs) < 1e-6 * np.abs(costs[:-1])).all()
    X_test, y_test = mutated_pairs(30, 1)
    assert aligner.score(X_test, y_test) > 0.85
    if model == "substitution":
        matrix = aligner.substitution_matrix_
        assert matrix["A", "G"] > max(matrix["A", "C"], matrix["C", "G"], matrix["C", "T"])


def test_references_are_not_needed_but_do_no_harm(tmp_path):
    X, y = mutated_pairs(10, 0)
    alone, beside = (weft.Aligner("match", learner=weft.EM()).fit(X, given) for given in (None, y))
    np.testing.assert_array_equal(alone.weights_, beside.weights_)
    weft.save(alone, tmp_path / "em.weft")
    assert weft.load(tmp_path / "em.weft").predict(X) == alone.predict(X)


def test_bad_input():
    X = [("AC", "A")]
    with pytest.raises(InputError, match=r"CRF needs alignments; pass y, or learn by weft.EM\(\)"):
        weft.Aligner().fit(X)
    with pytest.raises(InputError, match="smoothing of EM is 0"):
        weft.Aligner("match", learner=weft.EM(smoothing=0)).fit(X)
    with pytest.raises(InputError, match=r"EM needs 'starting_weights'.*no normalised form; use weft\.CRF"):
        weft.Folder("loops", weft.EM()).fit(["GGGAAACCC"])
    with pytest.raises(InputError, match="needs label sequences"):
        weft.Tagger(weft.EM()).fit(["ab"])


@pytest.mark.parametrize(
    ("estimator", "X", "y"),
    [
        (weft.Tagger(boundary=True), ["abab", "abba", "babb", "aab"], ["xyxy", "xyyx", "yxyy", "xxy"]),
        (weft.Parser("S -> S S | A B | A\nA -> a | b\nB -> a | b"), ["aab", "abb", "b", "abab"], None),
        (weft.Folder("g6"), ["GGGAAACCC", "GCGAAAAGC", "GAAAUC"], None),
    ],
    ids=["tagger", "parser", "folder"],
)
def test_likelihood_rises_on_every_structure_whose_counts_have_a_normalised_form(estimator, X, y):
    fitted = clone(estimator).set_params(learner=weft.EM(smoothing=1e-9, max_iter=30, tol=0.0)).fit(X, y)
    losses = [entry["objective"] for entry in fitted.history_]
    assert len(losses) > 3
    assert (np.diff(losses) <= 1e-9).all()
    assert losses[-1] < losses[0] - 1e-3
    assert len(fitted.predict(X)) == len(X)


def test_a_step_on_a_chain_takes_the_expected_counts_of_all_labellings():
    X, y = ["ab", "bba"], ["xy", "yxx"]
    batch = weft.Tagger(weft.Generative()).fit(X, y).bind(X, y)
    weights = batch.starting_weights()
    np.testing.assert_allclose(weights, weft.Tagger(weft.Generative(1.0)).fit(X, y).weights_)
    counts = np.zeros(batch.n_features)
    for i, x in enumerate(X):
        single = batch.select([i])
        every = [np.array(labels, dtype=np.int32) for labels in itertools.product(range(2), repeat=len(x))]
        rows = np.array([single.features_of(labels).toarray()[0] for labels in every])
        shares = np.exp(rows @ weights)
        counts += shares / shares.sum() @ rows
    wanted = batch.generative_weights(counts, 0.5)
    learned = weft.EM(smoothing=0.5, max_iter=1)
    # The first step only leads to weights that are probabilities; these are already, so one more is the second.
    assert np.allclose(batch.maximised_weights(batch.log_partition_and_mean(weights)[1], 0.5), wanted)
    fitted = weft.Tagger(learned).fit(X, y)
    again = batch.maximised_weights(batch.log_partition_and_mean(wanted)[1], 0.5)
    np.testing.assert_allclose(fitted.weights_, again)
