import warnings
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.token_forms import check_token_form, joined_form, token_form

TOKENS = st.one_of(st.sampled_from("abc"), st.sampled_from(["the", "cat"]), st.integers(0, 3))
SEQUENCES = st.one_of(
    st.text("abc", min_size=1, max_size=3),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3),
    st.lists(TOKENS, min_size=1, max_size=3),
)


@given(st.lists(st.lists(SEQUENCES, min_size=1, max_size=3), min_size=1, max_size=4))
def test_parts_together_have_the_form_of_the_whole(parts):
    """However data are cut and in whatever order parts come, a model is the same."""
    whole = token_form([each for part in parts for each in part])
    for order in (parts, parts[::-1]):
        assert reduce(joined_form, map(token_form, order)) == whole


def test_forms():
    assert token_form(["ab", ["a", "b"]]) == "strings"
    assert token_form([("a", "b")]) == "characters"
    assert token_form([["the"]]) == token_form([[1, 2]]) == token_form([[["the", "D"]]]) == "lists"
    assert token_form([{"a"}]) is None


def test_only_what_cannot_be_meant_is_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for form, X in (("strings", ["ab", ["a", "x"]]), ("characters", ["ab"]), ("lists", [["a"], ["the"]])):
            check_token_form(form, X)
        check_token_form(None, ["ab", ["the"]])
    with pytest.raises(InputError, match=r"X has a string, 'El presidente', but training had lists of tokens; split"):
        check_token_form("lists", [["El"], "El presidente"])
    for form in ("strings", "characters"):
        with pytest.warns(UserWarning, match=r"X has the token 'El', but training had single characters") as seen:
            check_token_form(form, [["El", "presidente"]])
        assert seen[0].filename == __file__
