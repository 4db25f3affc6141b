"""ExpectedLoss: its objective against enumeration, on alignments, labellings and folds."""

import numpy as np
import pytest

import weft
from alignment_oracle import aligned, all_moves, feature_vector
from weft.errors import InputError
from weft.learners.base import Learner
from weft.structures import Alignment
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.references import References

PAIRS = [("ABB", "AB"), ("BA", "BBA")]
REFERENCES = [np.array([0, 0, 1], dtype=np.uint8), np.array([2, 0, 0], dtype=np.uint8)]


def expected_loss(structure, weights):
    total = 0.0
    for pair, reference in zip(PAIRS, REFERENCES, strict=True):
        outputs = all_moves(*map(len, pair))
        scores = np.array([feature_vector(structure, pair, moves) @ weights for moves in outputs])
        shares = np.exp(scores - np.logaddexp.reduce(scores))
        wanted = set(aligned(reference.tolist()))
        total += shares @ [len(wanted - set(aligned(moves))) for moves in outputs]
    return total


def test_gradient_is_that_of_the_enumerated_loss():
    structure = Alignment("substitution", "AB")
    corpus = structure.encode(PAIRS)
    batch = AlignmentBatch(structure, corpus, References.build(corpus, REFERENCES))
    weights = np.random.default_rng(0).normal(size=structure.n_features)
    moments = batch.moments(weights)
    assert batch.sample_weight @ moments.mean_losses == pytest.approx(expected_loss(structure, weights))
    step = 1e-5 * np.eye(structure.n_features)
    slopes = [(expected_loss(structure, weights + h) - expected_loss(structure, weights - h)) / 2e-5 for h in step]
    np.testing.assert_allclose(moments.loss_covariance(), slopes, atol=1e-7)


@pytest.mark.parametrize(
    ("estimator", "X", "y"),
    [
        (weft.Tagger(), ["abab", "bbaa", "aab"], ["xyxy", "yyxx", "xxx"]),
        (weft.Folder("g6"), ["GGGAAACCC", "GCGAAAAGC"], ["(((...)))", "((.....))"]),
    ],
)
def test_other_structures_learn_by_it(estimator, X, y):
    estimator.set_params(learner=weft.ExpectedLoss(0.01, start=weft.CRF(c2=1.0)))
    history = estimator.fit(X, y).history_
    assert history[-1]["objective"] < history[0]["objective"]
    assert np.isfinite(estimator.weights_).all()


def test_a_strong_penalty_keeps_the_first_weights():
    X, y = ["abab", "bbaa"], ["xyxy", "yyxx"]
    tagger = weft.Tagger(weft.ExpectedLoss(1e9, start=weft.CRF(c2=0.5))).fit(X, y)
    np.testing.assert_allclose(tagger.weights_, tagger.learner_.start_weights_, atol=1e-6)


@pytest.mark.parametrize("parameters", [{"c2": -1.0}, {"max_iter": 0}, {"tol": np.nan}])
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(InputError, match="of ExpectedLoss is"):
        weft.Tagger(weft.ExpectedLoss(**parameters)).fit(["ab"], ["xy"])


@pytest.mark.parametrize("scale", [1e2, 1e5])
def test_weights_far_apart_are_no_error(scale):
    """Covariances stay finite, so that there is nothing to give a hint about."""

    class Far(Learner):
        def learn(self, batch, initial, monitor, random):
            return scale * np.random.default_rng(0).normal(size=batch.n_features)

    tagger = weft.Tagger(weft.ExpectedLoss(start=Far())).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    assert np.isfinite(tagger.weights_).all()
    assert np.isfinite(tagger.history_[-1]["objective"])
