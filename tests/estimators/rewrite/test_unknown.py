"""What a rewriter makes of letters, tags and symbols that training did not have."""

import pytest
from sklearn.base import clone

import weft
from weft.errors import InputError

VERBS = ["talk", "walk", "look", "cook", "want", "need", "help", "turn", "call", "open", "pack", "jump"]


def test_unknown_tags_are_passed_over():
    rewriter = weft.Rewriter(random_state=0, n_jobs=1)
    rewriter.fit(VERBS, [f"{lemma}ed" for lemma in VERBS], tags=["V;PST"] * len(VERBS))
    with pytest.warns(
        UserWarning,
        match=r"unknown tags of X \(1\), not in the training data: 'FUT' \(1\), first in X\[0\]; they are passed over",
    ):
        assert rewriter.predict(["camp"], ["V;PST;FUT"]) == ["camped"]
    rewriter.unknown = "error"
    with pytest.raises(InputError, match="'FUT'"):
        rewriter.predict(["camp"], ["V;PST;FUT"])


@pytest.mark.parametrize("tags", [None, "V;PRS.PTCP"], ids=["plain", "tags"])
def test_unknown_letters_are_copied_where_outputs_repeat_inputs(tags):
    y = [f"{lemma}ing" for lemma in VERBS]
    rewriter = weft.Rewriter(random_state=0, n_jobs=1).fit(VERBS, y, tags=tags and [tags] * len(VERBS))
    assert rewriter.copying_
    with pytest.warns(UserWarning, match=r"'Z' \(1\).*they are copied"):
        assert rewriter.predict(["Zyk"], tags and [tags]) == ["Zyking"]
    rewriter.unknown = "drop"
    with pytest.warns(UserWarning, match="they are left out"):
        assert rewriter.predict(["Zyk"], tags and [tags]) == ["king"]


def test_symbols_that_training_lacked():
    X, y = ["ab-c", "ba-c", "c-ab", "abc"], ["AB-C", "BA-C", "C-AB", "ABC"]
    rewriter = weft.Rewriter(random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match=r"unknown symbols of X \(1\), not in the training data: '\+' \(1\).*copied"):
        assert rewriter.predict(["+b"]) == ["B"]
    with pytest.warns(UserWarning, match="'!'"):
        assert rewriter.predict(["a!b"]) == ["AB"]
    with pytest.warns(UserWarning, match="no alignment"):
        partly = weft.Rewriter(random_state=0).fit([*X, "z"], [*y, "zzzzz"])
    with pytest.warns(UserWarning, match="'z'"):  # the only pair with it was left out
        assert partly.predict(["az"]) == ["Az"]
    rewriter.unknown = "error"
    with pytest.raises(InputError, match="fix them"):
        rewriter.predict(["a!b"])


def test_letters_of_the_other_case_are_the_same_letters_where_training_had_one_case():
    X = ["shoxe", "tahe", "tea", "hex", "toes"]
    fitted = weft.Rewriter(random_state=0, n_jobs=1).fit(X, [["<", *word, ">"] for word in X])
    plain, ranked = fitted.predict(["shoxe", "ta"]), fitted.predict_kbest(["shoxe", "ta"], 2)
    with pytest.warns(UserWarning, match=r"letters of X in another case .*\(6\).* such as 'E' as 'e'"):
        assert fitted.predict(["SHOXE", "Ta"]) == plain
    with pytest.warns(UserWarning, match="in another case"):
        assert fitted.predict_kbest(["SHOXE", "Ta"], 2) == ranked
    strict = clone(fitted).set_params(unknown="error").fit(["ab", "ba", "c"], [["x", "y"], ["y", "x"], ["z"]])
    with pytest.raises(InputError, match="'A'"):
        strict.predict(["A"])
    # Words that become words keep their capitals.
    copying = weft.Rewriter(random_state=0).fit(["walk", "talk", "bark", "work"], ["walks", "talks", "barks", "works"])
    with pytest.warns(UserWarning, match="unknown symbols"):
        [found] = copying.predict(["Walk"])
    assert found.startswith("W")


def test_a_case_means_something_where_training_had_both():
    both = weft.Rewriter(random_state=0).fit(["ab", "ba", "cB"], [["x", "y"], ["y", "x"], ["z", "y"]])
    with pytest.warns(UserWarning, match="unknown symbols"):
        both.predict(["A"])


@pytest.mark.parametrize("tags", [None, ["V", "N", "V", "V"]], ids=["plain", "tags"])
def test_nobody_is_sure_of_an_output_when_no_symbol_was_known(tags):
    X, y = ["ab-c", "ba-c", "c-ab", "abc"], ["AB-C", "BA-C", "C-AB", "ABC"]
    rewriter = weft.Rewriter(random_state=0).fit(X, y, tags=tags)
    new, chosen = ["!?", "a!", "--", ""], None if tags is None else ["V"] * 4
    with pytest.warns(UserWarning, match="not in the training data"):
        unknown, partly, known, empty = rewriter.predict_kbest(new, 1, tags=chosen)
    with pytest.warns(UserWarning, match="not in the training data"):
        sure = rewriter.confidence(new, tags=chosen)
    assert unknown[0][1] == 0.0
    assert partly[0][1] > 0.0
    assert known[0][1] > 0.0
    if tags is None:
        assert unknown[0][0] == ""
        assert empty == [("", 1.0)]  # nothing in, nothing out
    assert sure.tolist() == [each[0][1] for each in (unknown, partly, known, empty)]
