"""Expectation-maximisation over unaligned pairs."""

import numpy as np
import pytest

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
    with pytest.raises(InputError, match=r"CRF learns from alignments; pass y, or use learner=weft.EM\(\)"):
        weft.Aligner().fit(X)
    with pytest.raises(InputError, match="smoothing of EM is 0"):
        weft.Aligner("match", learner=weft.EM(smoothing=0)).fit(X)
    with pytest.raises(InputError, match="EM needs 'starting_weights'"):
        weft.Tagger(weft.EM()).fit(["ab"], ["xy"])
