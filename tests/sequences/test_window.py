from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from weft.errors import InputError
from weft.sequences.window import WindowFeatures
from weft.sequences.word_classes import WordClasses

SIMPLE = settings(max_examples=60)

# Few characters, among them all that could be mistaken for something else.
TOKENS = st.text("ab|\\=[]:0-", min_size=1, max_size=3) | st.sampled_from(["\\start", "\\end", "start", "end"])
ROWS = st.lists(st.tuples(TOKENS, TOKENS).map(list), min_size=1, max_size=5)


def described(sequence, position, width, ngrams, joined):
    """What the attributes of a token say, as plain tuples: the definition, without any names."""

    def value(column, place):
        return sequence[place][column] if 0 <= place < len(sequence) else (place < 0,)

    facts = set()
    for column in range(len(sequence[0])):
        for length in range(1, ngrams + 1):
            for first in range(-width, width - length + 2):
                last = first + length - 1
                if length == 1 or first <= 0 <= last:
                    values = tuple(value(column, position + offset) for offset in range(first, last + 1))
                    facts.add((column, first, last, values))
    if joined:
        facts.add(("token", value(0, position), value(1, position)))
    for length in range(2, joined + 1):
        for first, columns in product(range(-width, width - length + 2), product((0, 1), repeat=length)):
            if first <= 0 < first + length and len(set(columns)) > 1:
                values = tuple(value(column, position + first + k) for k, column in enumerate(columns))
                facts.add((columns, first, values))
    return facts


@SIMPLE
@given(st.lists(ROWS, min_size=1, max_size=4), st.integers(0, 3), st.integers(1, 4), st.integers(0, 3))
def test_names_are_one_to_one_with_what_they_describe(X, width, ngrams, joined):
    transformed = WindowFeatures(width=width, ngrams=ngrams, joined=joined).transform(X)
    flat = [
        (described(sequence, position, width, ngrams, joined), set(token))
        for sequence, attributes in zip(X, transformed, strict=True)
        for position, token in enumerate(attributes)
    ]
    assert len(flat) == sum(map(len, X))
    # Two tokens share as many names as they share facts.
    for facts, attributes in flat:
        assert len(attributes) == len(facts)
        for other_facts, other_attributes in flat:
            assert len(facts & other_facts) == len(attributes & other_attributes)


def test_two_columns_in_the_middle_of_a_sentence():
    X = [[["He", "PRP"], ["reckons", "VBZ"], ["so", "RB"]]]
    assert WindowFeatures(width=1, ngrams=[2, 3]).transform(X)[0][1] == (
        *("0[-1]=He", "0[0]=reckons", "0[1]=so", "0[-1:0]=He|reckons", "0[0:1]=reckons|so"),
        *("1[-1]=PRP", "1[0]=VBZ", "1[1]=RB", "1[-1:0]=PRP|VBZ", "1[0:1]=VBZ|RB", "1[-1:1]=PRP|VBZ|RB"),
    )


def test_joined_columns():
    X = [[["He", "PRP"], ["reckons", "VBZ"], ["so", "RB"]]]
    assert WindowFeatures(1, 1, joined=3).transform(X)[0][1][6:] == (
        *("0[0]1[0]=reckons|VBZ", "0[-1]1[0]=He|VBZ", "1[-1]0[0]=PRP|reckons", "0[0]1[1]=reckons|RB"),
        *("1[0]0[1]=VBZ|so", "0[-1]0[0]1[1]=He|reckons|RB", "0[-1]1[0]0[1]=He|VBZ|so", "0[-1]1[0]1[1]=He|VBZ|RB"),
        *("1[-1]0[0]0[1]=PRP|reckons|so", "1[-1]0[0]1[1]=PRP|reckons|RB", "1[-1]1[0]0[1]=PRP|VBZ|so"),
    )


def test_columns_of_one_token_are_joined_in_pairs():
    X = [[["a", "b", "c"]]]
    assert WindowFeatures(0, 1, joined=2).transform(X)[0][0][3:] == ("0[0]1[0]=a|b", "0[0]2[0]=a|c", "1[0]2[0]=b|c")


def test_windows_do_not_cross_sequences():
    apart = WindowFeatures(width=3, ngrams=3, shape=True, affixes=2)
    X = ["ab", "c", "defgh"]
    assert apart.transform(X) == [apart.transform([each])[0] for each in X]


def test_a_window_wider_than_everything():
    assert WindowFeatures(width=2, ngrams=1).transform(["a"]) == [
        [("0[-2]=\\start", "0[-1]=\\start", "0[0]=a", "0[1]=\\end", "0[2]=\\end")]
    ]


def test_strings_lists_and_arrays_are_the_same():
    window = WindowFeatures(affixes=1)
    assert window.transform(["ab"]) == window.transform([["a", "b"]]) == window.transform([np.array(["a", "b"])])


def test_one_column_rows_are_tokens():
    window = WindowFeatures()
    assert window.transform([[["a"], ["b"]]]) == window.transform([["a", "b"]])


def test_affixes_and_shapes():
    [[token, neighbour]] = WindowFeatures(width=1, ngrams=1, affixes=3, shape=True).transform([["McX-12", "é|"]])
    assert [name for name in token if name.startswith(("prefix", "suffix"))] == [
        *("suffix2[-1]=\\start", "suffix2[1]=é\\|", "suffix3[-1]=\\start", "suffix3[1]=é\\|"),
        *("prefix=M", "prefix=Mc", "prefix=McX", "suffix=2", "suffix=12", "suffix=-12"),
    ]
    assert {"shape[-1]=\\start", "shape[0]=XxX-d", "shape[1]=x\\|", "lower=mcx-12"} <= set(token)
    assert [name for name in neighbour if name.startswith("prefix")] == ["prefix=é", "prefix=é|"]


def test_a_shape_is_never_taken_for_a_boundary():
    [[token]] = WindowFeatures(width=1, shape=True).transform([["\\start"]])
    assert "shape[0]=\\\\x" in token


def test_nothing_is_learned():
    window = WindowFeatures(width=1, affixes=2)
    assert window.fit(["ab"]).transform(["ab"]) == clone(window).fit_transform(["ab"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"width": -1}, "width of WindowFeatures is -1; a whole number of at least 0"),
        ({"width": 1.5}, "width of WindowFeatures is 1.5"),
        ({"width": True}, "width of WindowFeatures is True"),
        ({"ngrams": 0}, "ngrams of WindowFeatures is 0; a whole number of at least 1"),
        ({"ngrams": [2, 3]}, "ngrams of WindowFeatures has 2 numbers but the tokens have 1 column"),
        ({"joined": -1}, "joined of WindowFeatures is -1; a whole number of at least 0"),
        ({"joined": 2}, "joined of WindowFeatures is 2 but the tokens have 1 column; give rows of several columns"),
        ({"affixes": None}, "affixes of WindowFeatures is None"),
        ({"lower": 1}, "lower of WindowFeatures is 1; use True or False"),
        ({"shape": "yes"}, "shape of WindowFeatures is 'yes'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        WindowFeatures(**parameters).transform(["ab"])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("ab", "X is one string"),
        ([], "X is empty"),
        (["a", ""], r"X\[1\] has length 0"),
        ([["a", 3]], r"X\[0\]\[1\] is a int; WindowFeatures takes strings"),
        ([[{"word": "a"}]], r"X\[0\]\[0\] is a dict; WindowFeatures takes"),
        ([["a"], [["b", "N"]]], r"X\[1\]\[0\] and X\[0\]\[0\] have different forms"),
        ([[["b", "N"], ["c"]]], r"X\[0\]\[1\] has 1 column\(s\), X\[0\]\[0\] has 2"),
        ([[["b", 2]]], r"X\[0\]\[0\]\[1\] is a int; columns hold strings"),
        ([[[]]], "the tokens have no columns"),
    ],
)
def test_bad_sequences(X, message):
    with pytest.raises(InputError, match=message):
        WindowFeatures().transform(X)


def test_classes_are_one_column_more():
    text = [list("abab"), list("cbcb"), list("abcb")]
    classes = WordClasses(2).fit(text)
    assert classes.classes_ == {"b": 0, "a": 1, "c": 1}
    window = WindowFeatures(1, [2, 1], classes=classes)
    rows = [[["a", "X"], ["?", "Y"]]]
    assert window.transform(rows)[0][0][8:] == ("class[-1]=\\start", "class[0]=1", "class[1]=\\rare")
    assert clone(window).transform(rows) == window.transform(rows)


def test_beginnings_of_paths_are_columns_more():
    classes = WordClasses.from_paths({"on": "0", "Monday": "110", "Friday": "111"})
    window = WindowFeatures(1, 1, classes=classes, class_prefixes=[2, 4])
    assert window.transform([["on", "Friday", "?"]])[0][1][3:] == (
        *("class[-1]=0", "class[0]=2", "class[1]=\\rare"),
        *("class2[-1]=0", "class2[0]=11", "class2[1]=\\rare"),
        *("class4[-1]=0", "class4[0]=111", "class4[1]=\\rare"),
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"class_prefixes": 4}, "class_prefixes of WindowFeatures is 4; give lengths such as"),
        ({"class_prefixes": [4, 4]}, r"class_prefixes of WindowFeatures is \[4, 4\]; give lengths"),
        ({"class_prefixes": [0]}, "class_prefixes of WindowFeatures is 0; a whole number of at least 1 is needed"),
        ({"class_prefixes": [1.5]}, "class_prefixes of WindowFeatures is 1.5; a whole number"),
        ({"class_prefixes": [[1]]}, "class_prefixes of WindowFeatures is"),
        ({"class_prefixes": [4], "classes": None}, "class_prefixes of WindowFeatures is given without classes"),
    ],
)
def test_lengths_of_paths_that_cannot_be_meant(given, message):
    with pytest.raises(InputError, match=message):
        WindowFeatures(**{"classes": WordClasses.from_paths({"a": "0"}), **given}).transform(["ab"])


@pytest.mark.parametrize("classes", [WordClasses(2), {"a": 1}, 3])
def test_classes_that_are_not_fitted(classes):
    with pytest.raises(InputError, match=r"classes of WindowFeatures is .*; fitted ones are needed, such as"):
        WindowFeatures(classes=classes).transform(["ab"])


def test_shapes_and_lower_case_are_columns():
    found = WindowFeatures(1, 2, shape=True).transform([["U2", "Sang", "."]])[0][1]
    assert [name for name in found if not name.startswith("0")] == [
        *("shape[-1]=Xd", "shape[0]=Xx", "shape[1]=.", "shape[-1:0]=Xd|Xx", "shape[0:1]=Xx|."),
        *("lower[-1]=u2", "lower[1]=.", "lower[-1:0]=u2|sang", "lower[0:1]=sang|.", "lower=sang"),
    ]


def test_words_are_read_in_lower_case():
    found = WindowFeatures(1, 2, affixes=2, shape=True, lower=True).transform([["The", "CAT", "|S"]])[0][1]
    assert found == (
        *("0[0]=CAT", "lower[-1]=the", "lower[0]=cat", "lower[1]=\\|s", "lower[-1:0]=the|cat", "lower[0:1]=cat|\\|s"),
        *("shape[-1]=Xx", "shape[0]=X", "shape[1]=|X".replace("|", "\\|"), "shape[-1:0]=Xx|X", "shape[0:1]=X|\\|X"),
        *("suffix2[-1]=he", "suffix2[1]=\\|s", "prefix=c", "prefix=ca", "suffix=t", "suffix=at"),
    )
    plain = WindowFeatures(1, 2, affixes=2).transform([["the", "cat", "|s"]])[0][1]
    low = WindowFeatures(1, 2, affixes=2, lower=True).transform([["The", "cat", "|S"]])[0][1]
    assert {each.replace("0[", "lower[", 1) for each in plain} == set(low) - {"0[0]=cat"}


def test_only_the_first_column_is_read_in_lower_case():
    rows = [[["The", "DT"], ["Cat", "NN"]]]
    found = WindowFeatures(1, 1, joined=2, lower=True).transform(rows)[0][1]
    assert found == (
        *("0[0]=Cat", "lower[-1]=the", "lower[0]=cat", "lower[1]=\\end", "1[-1]=DT", "1[0]=NN", "1[1]=\\end"),
        *("0[0]1[0]=Cat|NN", "0[-1]1[0]=The|NN", "1[-1]0[0]=DT|Cat", "0[0]1[1]=Cat|\\end", "1[0]0[1]=NN|\\end"),
    )


@SIMPLE
@given(
    st.lists(st.lists(TOKENS, min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(0, 2),
    st.integers(0, 3),
    st.booleans(),
)
def test_no_token_has_an_attribute_twice(X, width, affixes, lower):
    for attributes in WindowFeatures(width, affixes=affixes, shape=True, lower=lower).transform(X):
        assert all(len(set(each)) == len(each) for each in attributes)


def test_the_suited_template_is_that_of_the_command_line():
    from weft.kinds.options import OWN

    own = {name: OWN[f"tag --{name}"].value for name in ("width", "ngrams", "affixes", "shape", "lower")}
    for what, sequence in {"words": ["the", "cat"], "characters": "cat"}.items():
        wanted = WindowFeatures(**{name: each[what] for name, each in own.items() if what in each})
        assert WindowFeatures.suited_to([sequence]).get_params() == wanted.get_params()
    assert WindowFeatures.suited_to([[["a", "D"], ["b", "N"]]]).affixes == 5  # columns are not single characters
    with pytest.raises(InputError, match="WindowFeatures takes strings"):
        WindowFeatures.suited_to([[{"word": "the"}]])


@pytest.mark.parametrize("name", ["width", "ngrams", "affixes"])
def test_a_window_wider_than_memory_is_refused_at_once(name):
    with pytest.raises(InputError, match=rf"^{name} of WindowFeatures is 1000+; at most 1000 is possible\.$"):
        WindowFeatures(**{name: 10**30}).fit_transform([["a"]])
