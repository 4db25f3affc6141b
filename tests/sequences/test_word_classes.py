import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import weft
from weft.errors import InputError, ModelFileError
from weft.parameters.cloning import clone as own_clone
from weft.sequences.word_classes import SCALE, WordClasses, exchanged, words_of

WEEK = ["Monday", "Tuesday", "Friday"]
TEXT = [
    sentence.split()
    for day in WEEK
    for other in WEEK
    for sentence in (f"on {day} we sleep .", f"on {day} they work .", f"after {day} they sleep until {other} .")
]


def log_probability(text, classes):
    """Of a ring of words by the classes of neighbours: p(class | class before) p(word | class), as it is defined."""
    following = np.roll(text, -1)
    of_pairs = Counter(zip(classes[text], classes[following], strict=True))
    of_classes, of_words = Counter(classes[text]), Counter(text.tolist())
    return sum(
        math.log(of_pairs[classes[a], classes[b]] / of_classes[classes[a]])
        + math.log(of_words[b] / of_classes[classes[b]])
        for a, b in zip(text, following, strict=True)
    )


@settings(max_examples=40)
@given(st.lists(st.integers(0, 7), min_size=8, max_size=60), st.integers(1, 4))
def test_no_word_would_be_better_in_another_class(text, n_classes):
    text, n_words = np.array([*text, *range(8)]), 6  # words 6 and 7 stand for rare words and ends
    found = exchanged(text, n_words, n_classes)
    assert found.shape == (n_words,)
    assert found.min() >= 0
    assert found.max() < n_classes
    classes = np.append(found, [n_classes, n_classes + 1])
    best = log_probability(text, classes)
    for word in range(n_words):
        for other in range(n_classes):
            changed = classes.copy()
            changed[word] = other
            # Logarithms are rounded to parts of SCALE, which a few hundred of them may add up to.
            assert log_probability(text, changed) <= best + 1000 * len(text) / SCALE


def test_words_in_like_places_have_one_class():
    found = WordClasses(5).fit(TEXT).classes_
    assert len({found[day] for day in WEEK}) == 1
    assert found["we"] == found["they"] != found["Monday"]
    assert set(found.values()) <= set(range(5))


def test_the_order_of_sentences_does_not_matter():
    first, second = WordClasses(4).fit(TEXT), WordClasses(4).fit(TEXT[::-1])
    assert list(first.classes_.items()) == list(second.classes_.items())  # by frequency, then by the alphabet
    assert first.classes_ == WordClasses(4).fit(tuple(map(tuple, TEXT))).classes_


def test_rows_of_columns_give_their_words():
    rows = [[[word, "X"] for word in sentence] for sentence in TEXT]
    assert WordClasses(4).fit(rows).classes_ == WordClasses(4).fit(TEXT).classes_
    assert words_of([[("a", "X"), ["b", "Y"]], "ab"]) == [["a", "b"], ["a", "b"]]


def test_rare_and_unknown_words_have_a_class_of_their_own():
    classes = WordClasses(4, min_count=4).fit([*TEXT, ["once"]])
    assert "once" not in classes.classes_
    assert classes.transform([["Monday", "once", "never"]]) == [[str(classes.classes_["Monday"]), "\\rare", "\\rare"]]


def test_classes_that_are_alike_have_paths_that_begin_alike():
    classes = WordClasses(5).fit(TEXT)
    paths = {word: classes.paths_[number] for word, number in classes.classes_.items()}
    assert len(classes.paths_) == 5
    assert paths["on"][0] == paths["after"][0] == paths["until"][0] != paths["Monday"][0]


def test_paths_of_elsewhere_become_classes(tmp_path):
    classes = WordClasses.from_paths({"on": "0", "Monday": "110", "Friday": "110", "we": "10"})
    assert classes.transform([["Friday", "Monday", "on", "?"]]) == [["2", "2", "0", "\\rare"]]
    assert classes.paths_ == ["0", "10", "110"]
    assert classes.get_params() == {"n_classes": 3, "min_count": 1}
    weft.save(classes, tmp_path / "classes.weft")
    loaded = weft.load(tmp_path / "classes.weft")
    assert (loaded.classes_, loaded.paths_) == (classes.classes_, classes.paths_)


@pytest.mark.parametrize("paths", [{}, {"a": "2"}, {"a": ""}, {"a": 1}, {1: "0"}])
def test_paths_that_are_none_are_refused(paths):
    with pytest.raises(InputError, match=r"paths of words hold .*; give words with paths of 0 and 1"):
        WordClasses.from_paths(paths)


def test_files_of_before_have_classes_without_a_tree():
    classes = WordClasses(2)
    classes._from_state({"words": ["a"]}, {"classes": np.array([1])})
    assert classes.transform([["a"]]) == [["1"]]
    assert "paths" not in classes._to_state()[0]
    with pytest.raises(InputError, match="no tree"):
        weft.WindowFeatures(classes=classes, class_prefixes=[2]).transform(["ab"])


@pytest.mark.parametrize("copied", [clone, own_clone])
def test_copies_keep_what_was_learned_and_their_parameters(copied):
    fitted = WordClasses(4, min_count=3).fit(TEXT)
    again = copied(fitted)
    assert again.classes_ == fitted.classes_
    assert again.paths_ == fitted.paths_
    assert again.get_params() == {"n_classes": 4, "min_count": 3}
    assert not hasattr(copied(WordClasses(4)), "classes_")


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"n_classes": 0}, TEXT, "n_classes of WordClasses is 0; a whole number of at least 1 is needed"),
        ({"n_classes": True}, TEXT, "n_classes of WordClasses is True"),
        ({"min_count": 1.5}, TEXT, "min_count of WordClasses is 1.5"),
        ({"n_classes": 99}, TEXT, "the text has 11 words that occur 2 times or more, for 99 classes; give more text"),
        ({}, [], "X is empty"),
        ({}, [["a", 3]], r"X\[0\]\[1\] is a int; WordClasses takes lists of words"),
        ({}, [[["a"], []]], r"X\[0\]\[1\] is a list; WordClasses takes lists of words"),
        ({}, "a text", "X is one string"),
    ],
)
def test_what_cannot_be_meant_is_refused(parameters, X, message):
    with pytest.raises(InputError, match=message):
        WordClasses(**parameters).fit(X)


def test_what_is_not_fitted_says_so():
    with pytest.raises(Exception, match="not fitted"):
        WordClasses().transform([["a"]])


def test_words_out_of_range_do_not_reach_the_loop():
    with pytest.raises(InputError, match=r"text\[1\] is 4; need 0 to 3"):
        exchanged(np.array([0, 4]), 2, 1)


# ------------------------------------------------------------------------------------------------ model files


def test_a_tagger_takes_its_classes_into_its_file(tmp_path):
    classes = WordClasses(5).fit(TEXT)
    labels = [["DAY" if word in WEEK[:2] else "O" for word in sentence] for sentence in TEXT]
    window = weft.WindowFeatures(1, 1, classes=classes)
    tagger = weft.Tagger(weft.CRF(c2=0.1), window).fit(TEXT, labels)
    path = tmp_path / "days.weft"
    weft.save(tagger, path)
    loaded = weft.load(path)
    assert loaded.features.classes.classes_ == classes.classes_
    assert list(loaded.features.classes.classes_) == list(classes.classes_)
    assert loaded.predict(TEXT) == tagger.predict(TEXT)
    weft.save(loaded, tmp_path / "again.weft")
    assert path.read_bytes() == (tmp_path / "again.weft").read_bytes()


def test_classes_have_a_file_of_their_own(tmp_path):
    classes = WordClasses(5).fit(TEXT)
    weft.save(classes, tmp_path / "classes.weft")
    assert weft.load(tmp_path / "classes.weft").classes_ == classes.classes_


@pytest.mark.parametrize(
    ("state", "arrays", "message"),
    [
        ({"words": ["a", "a"]}, {"classes": np.array([0, 1])}, "a word twice"),
        ({"words": ["a"]}, {"classes": np.array([0, 1])}, "not one class for each"),
        ({"words": ["a"]}, {"classes": np.array([5])}, "entries from 5 to 5; needed 0 to 4"),
        ({"words": [1]}, {"classes": np.array([1])}, "'words' of word classes is"),
        ({}, {"classes": np.array([1])}, "lacks the value 'words'"),
        ({"words": ["a"], "paths": ["0"]}, {"classes": np.array([1])}, "have 1 paths; needed one for each of 5"),
        ({"words": ["a"], "paths": ["0", "2"]}, {"classes": np.array([1])}, "'paths' of word classes is"),
        ({"words": ["a"]}, {}, "lacks the array 'classes'"),
    ],
)
def test_crafted_files_are_refused(state, arrays, message):
    with pytest.raises(ModelFileError, match=message):
        WordClasses(5)._from_state(state, arrays)
