"""Ordering outputs anew by what they look like as a whole."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.metrics import word_error_rate
from weft.rewriting.ranking import Copies


def accented(word):
    """Sounds of an invented language: the first long vowel has the accent, or else the last vowel."""
    vowels = [i for i, letter in enumerate(word) if letter in "aoe"]
    place = next((i for i in vowels if word[i] == "o"), vowels[-1])
    return [{"a": "á", "o": "ó", "e": "é"}[letter] if i == place else letter for i, letter in enumerate(word)]


@pytest.fixture(scope="module")
def words():
    random = np.random.default_rng(1)
    made = {
        "".join("".join(random.choice(list(part)) for part in ("ptk", "aaoe")) for _ in range(random.integers(2, 6)))
        for _ in range(500)
    }
    return sorted(made)


@pytest.fixture(scope="module")
def fitted(words):
    learned = words[::2]
    return weft.Rewriter(random_state=0, rerank=2, context=1, joint_n=2, n_jobs=1).fit(
        learned, [accented(word) for word in learned]
    )


def test_what_the_whole_word_decides_is_learned(fitted, words):
    rest = words[1::2]
    wanted = [accented(word) for word in rest]
    error = word_error_rate(wanted, fitted.predict(rest))
    reranker, fitted.reranker_ = fitted.reranker_, None
    before = word_error_rate(wanted, fitted.predict(rest))
    fitted.reranker_ = reranker
    assert error < before / 2


def test_probabilities_fall_and_are_no_more_than_one(fitted, words):
    for best in fitted.predict_kbest(words[1:40:2], 5):
        probabilities = [probability for _, probability in best]
        assert probabilities == sorted(probabilities, reverse=True)
        assert sum(probabilities) <= 1 + 1e-9
        assert len(best) <= 5


def test_a_file_keeps_it(fitted, words, tmp_path):
    weft.save(fitted, tmp_path / "model.weft")
    again = weft.load(tmp_path / "model.weft")
    assert again.predict_kbest(words[1:20:2], 3) == fitted.predict_kbest(words[1:20:2], 3)


def test_few_words_are_not_reranked(words):
    few = weft.Rewriter(random_state=0, rerank=3, n_jobs=1).fit(words[:50], [accented(word) for word in words[:50]])
    assert few.reranker_ is None


@pytest.mark.parametrize("wrong", [1, -2, True, 2.0])
def test_wrong_numbers_are_refused(words, wrong):
    with pytest.raises(InputError, match="rerank is"):
        weft.Rewriter(rerank=wrong).fit(words[:5], [accented(word) for word in words[:5]])


def test_an_order_that_cannot_help_does_no_harm():
    """Sounds that depend on one letter alone, and chance: nothing is left for whole words to say."""
    random = np.random.default_rng(0)
    made = sorted({"".join(random.choice(list("ptkaoe"), random.integers(2, 6))) for _ in range(500)})
    random.shuffle(made)
    y = [[letter.upper() if random.random() < 0.9 else "X" for letter in word] for word in made]
    rewriter = weft.Rewriter(weft.CRF(c2=0.3, max_iter=20), rerank=2, context=1, random_state=0, n_jobs=1)
    rewriter.fit(made[:300], y[:300])
    error = word_error_rate(y[300:], rewriter.predict(made[300:]))
    rewriter.reranker_ = None
    assert error <= word_error_rate(y[300:], rewriter.predict(made[300:])) + 0.03


def test_dev_words_and_weights_take_part(words):
    y = [accented(word) for word in words]
    rewriter = weft.Rewriter(rerank=2, context=1, joint_n=2, n_models=2, random_state=1, n_jobs=1)
    weights = np.where(np.arange(220) % 2 == 0, 2.0, 0.5)
    rewriter.fit(words[:220], y[:220], sample_weight=weights, X_dev=words[220:260], y_dev=y[220:260])
    assert word_error_rate(y[260:], rewriter.predict(words[260:])) < 0.3
    assert len({model.mixture for model in rewriter.models_}) == 2  # each is tuned for itself


def test_no_feature_looks_at_copied_symbols(fitted, words):
    """Their numbers are above those of training. Lists with and without them have the same order and shares."""
    sides = fitted.input_side_, fitted.output_side_
    symbols, offsets = sides[0].encode(words[1:40:2])
    n_known = len(sides[1])
    found = fitted._voted(symbols, offsets, 5, Copies({}), [None])
    plain = fitted.reranker_.rank(symbols, offsets, found)
    for new in (n_known, n_known + 10**6):
        copied = [[((new, *output, new), share) for output, share in outputs] for outputs in found]
        ranked = fitted.reranker_.rank(symbols, offsets, copied)
        assert [[(output[1:-1], share) for output, share in outputs] for outputs in ranked] == plain
    with pytest.raises(InputError, match="outputs"):
        fitted.reranker_.rank(symbols, offsets, [[((-1,), 1.0)] for _ in found])
