"""What a rewriter learns from: pairs without an alignment, normal forms, outputs in turn, weights, held-out words."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.rewrite.inputs import choose_normal_form


def test_pairs_without_an_alignment_are_named():
    X, y = ["ab", "", "a", "b", "ba"], ["xy", "z", "xyxyx", "", "yx"]
    with pytest.warns(UserWarning, match="3 of 5 pairs have no alignment: X.1. .*an empty side.*left out"):
        rewriter = weft.Rewriter(random_state=0).fit(X, y)
    assert [number for number, _ in rewriter.skipped_] == [1, 2, 3]
    with pytest.raises(InputError, match=r"X\[1\] \('': an empty side\).* raise max_chunk"):
        weft.Rewriter(invalid="error").fit(X, y)
    with pytest.raises(InputError, match="1 of 1 pairs"):
        weft.Rewriter().fit(["a"], ["xyz"])
    with pytest.raises(InputError, match=r"X\[0\] \('th is': an empty side\)"):
        weft.Rewriter(invalid="error").fit([["th", "is"], ["a"]], [[], ["x"]])


def test_normal_forms():
    composed, decomposed = "\u00e9a", "ae\u0301"
    with pytest.warns(UserWarning, match="1 inputs of X are in another Unicode normal form"):
        rewriter = weft.Rewriter(random_state=0).fit([composed, decomposed, "a"], ["EA", "AE", "A"])
    assert rewriter.normal_form_ == "NFC"
    assert rewriter.predict(["e\u0301"]) == rewriter.predict(["\u00e9"]) == ["E"]
    syllables = ["".join(map(chr, range(0xAC00 + k, 0xAC00 + 11000, 700))) for k in range(40)]
    assert choose_normal_form(syllables, "characters", "auto")[0] == "NFD"
    with pytest.raises(InputError, match="normal_form"):
        weft.Rewriter(normal_form="NFX").fit(["a"], ["b"])


def test_an_input_with_several_outputs():
    rewriter = weft.Rewriter(random_state=0).fit(["ab", "ab", "a", "b"], ["XY", "XZ", "X", "Y"])
    assert {output for output, _ in rewriter.predict_kbest(["ab"], 2)[0]} == {"XY", "XZ"}


def test_weights_of_pairs_count():
    X, y = ["a", "a"] * 5, ["X", "Y"] * 5
    for wanted, weights in (("X", [9, 1]), ("Y", [1, 9])):
        rewriter = weft.Rewriter(weft.CRF(c2=0.01), random_state=0).fit(X, y, sample_weight=weights * 5)
        best = rewriter.models_[0].decode(*rewriter.input_side_.encode(["a"]), 1, mixture=(1.0, 0.0, 0.0, 0.0, 0.0))
        spelled = rewriter.models_[0].spell(best.candidates[0])[0]
        assert rewriter.output_side_.alphabet.symbols[spelled[0]] == wanted


@pytest.mark.parametrize(("X", "y"), [([[["a"]]] * 2, ["ab", "b"]), (["ab", "b"], [[{"a": 1}]] * 2)])
def test_lists_of_lists_are_no_symbols(X, y):
    with pytest.raises(weft.InputError, match="symbols that are lists or dicts; strings, or lists of strings"):
        weft.Rewriter().fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patience": 2}, "patience needs held-out data"),
        ({"patience": 2, "learner": weft.Spectral(2), "validation_fraction": 0.5}, "given with Spectral"),
        ({"validation_fraction": 2.0}, "validation_fraction is 2.0"),
    ],
    ids=str,
)
def test_held_out_data_that_cannot_be_scored_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        weft.Rewriter(**options).fit(["ab", "ba", "a", "b", "aa"], ["xy", "yx", "x", "y", "xx"])


def test_one_long_pair_ruins_nothing():
    random = np.random.default_rng(0)
    letters = list("abcdefghijklmnopqrst")
    X = ["".join(random.choice(letters, random.integers(3, 10))) for _ in range(100)] + ["a" * 1200]
    model = weft.Rewriter(weft.Perceptron(2), 2, context=1, joint_n=2, random_state=0, n_jobs=1)
    model.fit(X, [word.upper() for word in X])
    assert model.predict(X) == [word.upper() for word in X]
    assert np.all(np.diff(model.alignment_history_) >= 0.0)
