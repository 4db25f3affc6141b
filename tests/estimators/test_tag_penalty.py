import numpy as np
import pytest

import weft
from weft.estimators import tag_penalty


def noisy(n, n_attributes, seed=0):
    """Sequences with many attributes that say nothing, and labels that one of them tells in eight of ten cases."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        truth = random.integers(2, size=6)
        told = np.where(random.random(6) < 0.8, truth, 1 - truth)
        X.append(
            [[f"is {each}", *(f"{k}" for k in np.flatnonzero(random.random(n_attributes) < 0.1))] for each in told]
        )
        y.append(["xy"[each] for each in truth])
    return X, y


def chosen(X, y, **parameters):
    return weft.Tagger(weft.CRF(**parameters), n_jobs=1).fit(X, y).learner_.c2


@pytest.mark.filterwarnings("ignore")
def test_ambiguous_labels_and_many_shared_attributes_want_the_strong_penalty():
    X, y = noisy(100, 200)
    assert chosen(X, y) == 1.0
    assert chosen(X[:49], y[:49]) == 0.1  # too few to hold some out


@pytest.mark.filterwarnings("ignore")
def test_rare_names_that_tell_the_label_want_the_weak_penalty():
    random = np.random.default_rng(0)
    X = [[f"{'ab'[k % 2]}{k}" for k in random.integers(400, size=5)] for _ in range(100)]
    y = [["xy"[word[0] == "b"] for word in sentence] for sentence in X]
    assert chosen(X, y) == 0.1


def test_the_choice_looks_at_so_many_tokens_at_most(monkeypatch):
    X, y = noisy(300, 5)
    sizes = []
    learn = weft.CRF.learn

    def noted(self, batch, *others):
        sizes.append(batch.corpus.n_tokens)
        return learn(self, batch, *others)

    monkeypatch.setattr(weft.CRF, "learn", noted)
    monkeypatch.setattr(tag_penalty, "MOST_TOKENS", 600)
    chosen(X, y)
    assert sizes == [480, 480, 1800]  # four fifths of a hundred sequences of six, then all


def test_the_choice_is_the_same_for_any_number_of_threads():
    X, y = noisy(100, 200)
    first, second = (weft.Tagger(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(first.weights_, second.weights_)


def test_a_weight_of_zero_takes_a_sequence_out_of_the_comparison():
    X, y = noisy(100, 200)
    tagger = weft.Tagger(n_jobs=1)
    held_out = np.random.default_rng(0).permutation(100)[:20]
    assert tagger.fit(X, y, sample_weight=~np.isin(np.arange(100), held_out)).learner_.c2 == 0.1
