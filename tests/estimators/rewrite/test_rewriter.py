"""Rewriter: what it learns, what it says about bad input, what a file keeps."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.errors import InputError
from weft.metrics import word_error_rate
from weft.rewriting.model import reversed_sequences

LETTERS = {"a": "A", "e": "E", "i": "I", "o": "O", "t": "T", "k": "K", "s": "S", "h": "H", "n": "N", "x": "K S"}


def spoken(word):
    """Sounds of an invented language: "sh" is one sound, a final "e" is silent, "x" is two sounds."""
    sounds, i = [], 0
    while i < len(word):
        if word[i : i + 2] == "sh":
            sounds.append("SH")
            i += 2
            continue
        if not (word[i] == "e" and i == len(word) - 1 and i > 0):
            sounds += LETTERS[word[i]].split()
        i += 1
    return sounds


@pytest.fixture(scope="module")
def words():
    random = np.random.default_rng(0)
    made = {"".join(random.choice(list("aeiotkshnx"), random.integers(2, 7))) for _ in range(400)}
    return sorted(word for word in made if spoken(word))


@pytest.fixture(scope="module")
def fitted(words):
    return weft.Rewriter(random_state=0, n_jobs=1).fit(words[::2], [spoken(word) for word in words[::2]])


def test_it_learns_from_unaligned_pairs(fitted, words):
    rest = words[1::2]
    predicted = fitted.predict(rest)
    assert word_error_rate([spoken(word) for word in rest], predicted) < 0.1
    assert fitted.score(rest, [spoken(word) for word in rest]) > 0.95
    assert fitted.predict(["shoxe"]) == [["SH", "O", "K", "S"]]
    assert len(fitted.alignment_history_) >= 2
    assert fitted.history_
    assert len(fitted.weights_) == len(fitted.feature_names_)
    by_name = dict(zip(fitted.feature_names_, fitted.weights_, strict=True))
    # "s" before "h" becomes SH, and "e" at the end nothing.
    assert by_name["s", ((0, "s"), (1, "h")), ("SH",)] > by_name.get(("s", ((0, "s"), (1, "h")), ("S",)), 0.0)
    assert by_name["e", ((0, "e"), (1, "<boundary>")), ()] > 0.0


@pytest.mark.parametrize("network", [None, weft.RecurrentNetwork(memory_size=8, narrow_size=8, max_iter=30)], ids=str)
def test_patience_keeps_the_weights_of_the_best_held_out_score(words, network):
    X, X_dev = words[:60], words[60:100]
    data = {"y": [spoken(word) for word in X], "X_dev": X_dev, "y_dev": [spoken(word) for word in X_dev]}
    chain = weft.CRF(c2=0.001, max_iter=60)
    rewriter = weft.Rewriter(chain, 2, 2, network=network, patience=2, random_state=0, n_jobs=1).fit(X, **data)
    scores = [entry["score"] for entry in rewriter.history_]
    assert len(scores) == np.argmax(scores) + 1 + 2 < 60
    (model,) = rewriter.models_
    alone = (0.0, 0.0, 0.0, 0.0, 1.0) if network else (1.0, 0.0, 0.0, 0.0, 0.0)
    rewriter.models_ = [replace(model, mixture=alone)]
    right = 1.0 - word_error_rate(data["y_dev"], rewriter.predict(X_dev))
    if network is None:
        assert right == pytest.approx(max(scores))
    else:
        assert 0.0 < right < 1.0


def test_a_held_out_part_is_not_learned_from(words):
    X = words[:50] * 2  # every word twice: both go to one side
    rewriter = weft.Rewriter(validation_fraction=0.2, random_state=0, n_jobs=1).fit(X, [spoken(word) for word in X])
    right = np.array([10 * entry["score"] for entry in rewriter.history_])  # of 10 different words
    np.testing.assert_allclose(right, right.round())
    assert (right < 10).any()


def test_k_best_are_different_and_their_probabilities_fall(fitted, words):
    ranked = fitted.predict_kbest(words[1:40:2], 4)
    for best in ranked:
        outputs, probabilities = zip(*best, strict=True)
        assert len({tuple(output) for output in outputs}) == len(outputs) <= 4
        assert sorted(probabilities, reverse=True) == list(probabilities)
        assert 0.0 < sum(probabilities) <= 1.0 + 1e-9
    assert [best[0][0] for best in ranked] == fitted.predict(words[1:40:2])
    assert fitted.confidence(words[1:40:2]).tolist() == [best[0][1] for best in ranked]
    loss = fitted.beam_loss(words[1:40:2])
    assert loss["changed"] <= 0.1
    assert loss["mean_gap"] >= 0.0


def test_a_prediction_is_the_first_of_the_best(fitted, words):
    """Though it does not ask how probable outputs are; for empty inputs and unknown symbols too."""
    X = ["", *words[1:80:2], ""]
    assert fitted.predict(X) == [best[0][0] for best in fitted.predict_kbest(X, 1)]
    assert [fitted.predict([x])[0] for x in X] == fitted.predict(X)
    assert fitted.predict(["", ""]) == [[], []]
    with pytest.warns(UserWarning, match="unknown symbols"):
        found = fitted.predict([*X, X[1] + "\N{SNOWMAN}"])
    with pytest.warns(UserWarning, match="unknown symbols"):
        assert found == [best[0][0] for best in fitted.predict_kbest([*X, X[1] + "\N{SNOWMAN}"], 1)]


def test_a_file_gives_the_same_answers(fitted, words, tmp_path):
    weft.save(fitted, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.predict_kbest(words[1:40:2], 3) == fitted.predict_kbest(words[1:40:2], 3)
    assert loaded.skipped_ == fitted.skipped_
    assert clone(loaded).get_params()["joint_n"] == 8


def test_models_vote_and_other_parts_take_part(words, tmp_path):
    y = [spoken(word) for word in words]
    rewriter = weft.Rewriter(
        weft.CRF(c2=0.3, max_iter=15), language_model=weft.NGramLanguageModel(2), n_models=2, random_state=0, n_jobs=1
    )
    rewriter.fit(words[:120], y[:120], X_dev=words[120:160], y_dev=y[120:160])
    assert [model.backwards for model in rewriter.models_] == [False, True]
    assert word_error_rate(y[160:], rewriter.predict(words[160:])) < 0.3
    weft.save(rewriter, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").predict(words[160:180]) == rewriter.predict(words[160:180])


@pytest.mark.parametrize(
    "learner",
    [weft.StructuredSVM(max_iter=5), weft.Spectral(2, tau=1.0, max_iter=8), weft.Spectral(2, tau=1.0, sparse=False)],
    ids=["svm", "spectral", "windows alone"],
)
def test_other_learners(learner, words, tmp_path):
    y = [spoken(word) for word in words]
    rewriter = weft.Rewriter(learner, context=2, n_models=2, random_state=0, n_jobs=1).fit(words[:120], y[:120])
    rest, wanted = words[120:], y[120:]
    assert word_error_rate(wanted, rewriter.predict(rest)) < 0.15
    for model in rewriter.models_:  # the learner's own scores are better than guesses, without the n-gram models
        model.mixture = (1.0, 0.0, 0.0, 0.0, 0.0)
    assert word_error_rate(wanted, rewriter.predict(rest)) < 0.4
    ranked = rewriter.predict_kbest(rest[:20], 3)
    assert all(0.0 < sum(p for _, p in best) <= 1.0 + 1e-9 for best in ranked)
    assert len(rewriter.weights_) == len(rewriter.feature_names_) == rewriter.models_[0].n_weights
    assert rewriter.beam_loss(rest[:20])["mean_gap"] >= 0.0
    with pytest.warns(UserWarning, match="not in the training data"):
        assert rewriter.predict(["!", "a!t"]) == [[], rewriter.predict(["at"])[0]]
    weft.save(rewriter, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.predict_kbest(rest[:20], 3) == ranked
    assert loaded.feature_names_ == rewriter.feature_names_


def test_learners_without_the_queries_are_refused():
    with pytest.raises(InputError, match="Generative needs 'generative_weights', which CandidateBatch does not answer"):
        weft.Rewriter(weft.Generative()).fit(["a", "ab"] * 3, ["b", "bb"] * 3)


def test_strings_on_both_sides_and_the_same_seed(words):
    y = ["".join(sound[0] for sound in spoken(word)) for word in words[:60]]
    first, second = (weft.Rewriter(random_state=1, n_jobs=1).fit(words[:60], y) for _ in range(2))
    assert first.predict(words[:60]) == second.predict(words[:60])
    assert isinstance(first.predict(["shot"])[0], str)
    assert first.predict(["", "to"])[0] == ""
    assert first.predict_kbest([""], 3) == [[("", 1.0)]]


def test_tags_say_which_form_is_wanted():
    lemmas = ["talk", "walk", "look", "cook", "want", "need", "help", "turn", "call", "open"]
    X = [lemma for lemma in lemmas for _ in range(3)]
    tags = [["V", tag] for _ in lemmas for tag in ("PST", "PRS", "INF")]
    y = [lemma + ending for lemma in lemmas for ending in ("ed", "s", "")]
    rewriter = weft.Rewriter(random_state=0, max_chunk=(1, 3), n_jobs=1).fit(X, y, tags=tags)
    assert rewriter.predict(["pack", "pack", "pack"], ["V;PST", "PRS;V", "V;INF"]) == ["packed", "packs", "pack"]
    with pytest.raises(InputError, match="X has no tags, but training had tags"):
        rewriter.predict(["pack"])


VERBS = ["talk", "walk", "look", "cook", "want", "need", "help", "turn", "call", "open", "pack", "jump"]


def test_tags_are_shared_by_their_combinations():
    # Past and plural were never seen together: each tag says what it adds, at its own end.
    X = [lemma for lemma in VERBS for _ in range(3)]
    tags = [tag for _ in VERBS for tag in ("V;PST", "V;PL", "V")]
    y = [form for lemma in VERBS for form in (f"{lemma}ed", f"ge{lemma}", lemma)]
    rewriter = weft.Rewriter(random_state=0, n_jobs=1).fit(X, y, tags=tags)
    assert rewriter.max_chunk_ == (1, 9)
    assert rewriter.predict(["camp", "camp"], ["V;PST;PL", "PL;V"]) == ["gecamped", "gecamp"]


def test_pruning_keeps_what_counts(fitted, words, tmp_path):
    rewriter, words = fitted, words[:80]
    whole, smaller = rewriter.models_[0], rewriter.prune(0.5, 1e-4).models_[0]
    assert len(smaller.weights) < len(whole.weights)
    assert sum(map(len, smaller.chain.contexts)) < sum(map(len, whole.chain.contexts))
    assert len(smaller.joint.tables_.scores) < len(whole.joint.tables_.scores)
    same = np.mean(
        [a == b for a, b in zip(rewriter.predict(words), rewriter.prune(0.5, 1e-4).predict(words), strict=True)]
    )
    assert same > 0.9
    assert rewriter.prune(0.0, 0.0).predict(words) == rewriter.predict(words)
    weft.save(rewriter, tmp_path / "large.weft")
    weft.save(rewriter.prune(0.5, 1e-4), tmp_path / "small.weft", compress=True)
    assert (tmp_path / "small.weft").stat().st_size < (tmp_path / "large.weft").stat().st_size / 5
    assert weft.load(tmp_path / "small.weft").predict(words[:3]) == rewriter.predict(words[:3])
    with pytest.raises(InputError, match="min_gain is -1"):
        rewriter.prune(0.0, -1)


@pytest.mark.parametrize("learner", [None, weft.Spectral(2, tau=1.0, max_iter=8)], ids=["perceptron", "spectral"])
@pytest.mark.parametrize("n_models", [1, 2])
def test_a_network_takes_part(learner, n_models, words, tmp_path):
    network = weft.RecurrentNetwork(2, 8, 16, 16, 0, max_iter=12, batch_size=8, step=1e-2)
    y = [spoken(word) for word in words]
    rewriter = weft.Rewriter(learner, context=2, network=network, n_models=n_models, random_state=0, n_jobs=1)
    rewriter.fit(words[:120], y[:120])
    assert rewriter.mixture_[4] > 0.0
    rest, wanted = words[120:200], y[120:200]
    assert word_error_rate(wanted, rewriter.predict(rest)) < 0.15
    weft.save(rewriter, tmp_path / "m.weft")
    assert weft.load(tmp_path / "m.weft").predict_kbest(rest, 3) == rewriter.predict_kbest(rest, 3)
    with pytest.warns(UserWarning, match="not in the training data"):
        assert rewriter.predict(["!", "a!t"]) == [[], rewriter.predict(["at"])[0]]
    # Alone, its score is that of its most probable labels; the model that reads backwards sees words backwards.
    symbols, offsets = rewriter.input_side_.encode(rest)
    for model in rewriter.models_ if learner is None else []:
        read = reversed_sequences(symbols, offsets) if model.backwards else symbols
        probabilities = model.network.log_probabilities(read, offsets)
        found = model.decode(symbols, offsets, 1, mixture=(0.0, 0.0, 0.0, 0.0, 1.0), beam_width=200, margin=1000.0)
        labels = probabilities.argmax(axis=1)
        labels = reversed_sequences(labels, offsets) if model.backwards else labels
        alone = [model.label_symbols[model.label_offsets[z] : model.label_offsets[z + 1]].tolist() for z in labels]
        same = [a == b for a, b in zip(alone, model.spell(found.candidates[0]), strict=True)]
        assert np.mean(same) > 0.98  # not always all: labellings with the same output are added up
        np.testing.assert_allclose(found.totals, 0.0, atol=1e-4)  # all labellings together have the probability 1


@pytest.mark.parametrize("learner", [None, weft.Spectral(2, tau=1.0, max_iter=8)], ids=["perceptron", "spectral"])
def test_a_network_that_reads_what_was_written_orders_the_best_outputs(learner, words, tmp_path):
    network = weft.RecurrentNetwork(1, 8, 16, 16, history_size=8, max_iter=12)
    network.set_params(batch_size=8, step=1e-2)
    y = [spoken(word) for word in words]
    rewriter = weft.Rewriter(learner, context=2, network=network, n_models=2, random_state=0, n_jobs=1)
    rewriter.fit(words[:120], y[:120])
    assert rewriter.mixture_[4] > 0.0
    rest, wanted = words[120:200], y[120:200]
    assert word_error_rate(wanted, rewriter.predict(rest)) < 0.15
    weft.save(rewriter, tmp_path / "m.weft")
    assert weft.load(tmp_path / "m.weft").predict_kbest(rest, 3) == rewriter.predict_kbest(rest, 3)
    with pytest.warns(UserWarning, match="not in the training data"):
        assert rewriter.predict(["!", "a!t"]) == [[], rewriter.predict(["at"])[0]]
    symbols, offsets = rewriter.input_side_.encode(rest)
    for model in rewriter.models_ if learner is None else []:
        # What the search finds without the network, and the network's own sum over each of its labellings.
        without = model.decode(symbols, offsets, 12, mixture=(0.1, 1.0, 0.0, 0.0, 0.0))
        found = model.decode(symbols, offsets, 3, mixture=(0.1, 1.0, 0.0, 0.0, 0.7))
        again = model.decode(symbols, offsets, 12, mixture=(0.1, 1.0, 0.0, 0.0, 0.7), n_jobs=2)
        np.testing.assert_array_equal(found.scores, again.scores[:, :3])
        turned = (lambda row: reversed_sequences(row, offsets)) if model.backwards else (lambda row: row)
        own = [model.chain.labels[turned(row)] for row in without.candidates]
        added = 0.7 * np.array([model.network.labelling_scores(turned(symbols), offsets, row) for row in own]).T
        scores = without.scores + added
        np.testing.assert_allclose(again.scores, np.sort(scores, axis=1)[:, ::-1], rtol=1e-12)
        np.testing.assert_array_equal(again.candidates[0], np.array(without.candidates)[
            np.repeat(scores.argmax(axis=1), np.diff(offsets)), np.arange(len(symbols))
        ])  # fmt: skip
        listed = np.exp(again.scores - again.totals[:, None]).sum(axis=1)
        assert (listed <= 1.0 + 1e-9).all()
        assert np.mean(listed) > 0.9


def test_a_network_file_that_does_not_fit_is_refused(words, tmp_path):
    network = weft.RecurrentNetwork(1, 4, 4, 4, 4, max_iter=1)
    rewriter = weft.Rewriter(network=network, random_state=0).fit(words[:30], [spoken(word) for word in words[:30]])
    model = rewriter.models_[0]
    model.network = replace(model.network, weights=model.network.weights[:, 1:])
    weft.save(rewriter, tmp_path / "m.weft")
    with pytest.raises(weft.ModelFileError):
        weft.load(tmp_path / "m.weft")
    with pytest.raises(InputError, match="given as learner; give it as Rewriter"):
        weft.Rewriter(network).fit(["a"], ["x"])
    with pytest.raises(InputError, match="network is 3; a RecurrentNetwork or None"):
        weft.Rewriter(network=3).fit(["a"], ["x"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_chunk": 0}, "max_chunk is 0"),
        ({"max_chunk": (1, 2, 3)}, "max_chunk"),
        ({"context": 0}, "context is 0"),
        ({"learner": "crf"}, "learner is 'crf'"),
        ({"language_model": 3}, "language_model is 3"),
        ({"unknown": "guess"}, "unknown is 'guess'"),
        ({"invalid": "drop"}, "invalid is 'drop'"),
        ({"n_models": 0}, "n_models is 0"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        weft.Rewriter(**arguments).fit(["a"], ["b"])


def test_bad_data(fitted):
    with pytest.raises(InputError, match="X is 'abc'; a list"):
        weft.Rewriter().fit("abc", ["x"])
    with pytest.raises(InputError, match="2 sequences but y has 1"):
        weft.Rewriter().fit(["a", "b"], ["x"])
    with pytest.raises(InputError, match="X_dev has empty sequences alone"):
        weft.Rewriter().fit(["a"], ["x"], X_dev=[""], y_dev=["x"])
    with pytest.raises(InputError, match="mixes strings and token lists"):
        weft.Rewriter().fit(["a", ["b"]], ["x", "y"])
    with pytest.raises(InputError, match="k is 0"):
        fitted.predict_kbest(["at"], 0)
    with pytest.raises(InputError, match="X holds tokens, but training had characters"):
        fitted.predict([["a"]])
    with pytest.raises(InputError, match="X has tags, but training had none"):
        fitted.predict(["a"], [["V"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.predict(["at"])
