import random

import pytest

import weft
from weft.estimators.search_space import SPACES, search_space

RNA, FOLDED = ["GGGAAACCC", "GGAAACC", "GCGAAAGC"] * 2, ["(((...)))", "((...))", "((....))"] * 2
PAIRS, ALIGNED = [("ACD", "AD"), ("CD", "CDA")] * 3, [("ACD", "A-D"), ("CD-", "CDA")] * 3
WORDS, LABELS = ["ab", "ba", "abb", "bab"] * 2, ["xy", "yx", "xyy", "yxy"] * 2
TEXTS, CLASSES = ["no rain fell", "snow fell", "shares rose", "shares fell again"] * 3, ["w", "w", "m", "m"] * 3

CASES = {
    "tagger": (weft.Tagger(), WORDS, LABELS),
    "tagger with parts": (weft.Tagger(weft.CRF(), weft.WindowFeatures()), WORDS, LABELS),
    "aligner": (weft.Aligner(), PAIRS, ALIGNED),
    "folder": (weft.Folder("g6", weft.CRF()), RNA, FOLDED),
    "parser": (weft.Parser("S -> a S | b"), [list("aab"), list("ab")] * 2, ["(S a (S a (S b)))", "(S a (S b))"] * 2),
    "classifier": (weft.SequenceSVC(), TEXTS, CLASSES),
    "classifier with parts": (weft.SequenceSVC(weft.Normalized(weft.NGramKernel(3))), TEXTS, CLASSES),
    "rewriter": (weft.Rewriter(), WORDS, LABELS),
    "regressor": (weft.StringRegressor(), WORDS, LABELS),
    "dependency": (weft.KernelDependencyEstimator(), WORDS, LABELS),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_any_point_of_the_space_can_be_fitted(name):
    estimator, X, y = CASES[name]
    space = search_space(estimator)
    draw = random.Random(0)
    for _ in range(3):
        point = {path: draw.choice(values) for path, values in space.items()}
        predicted = weft.parameters.clone(estimator).set_params(**point).fit(X, y).predict(X[:1])
        assert len(predicted) == 1


def test_values_begin_with_the_default():
    for name, space in SPACES.items():
        known = getattr(weft, name).__init__.__kwdefaults__ or {}
        made = getattr(weft, name)("S -> a") if name == "Parser" else getattr(weft, name)()
        parameters = {**known, **made.get_params(deep=False)}
        assert {path: values[0] for path, values in space.items()} == {path: parameters[path] for path in space}
        assert all(len(set(values)) == len(values) for values in space.values())


def test_what_has_no_space_is_refused():
    with pytest.raises(weft.InputError, match="no search space for Tagger; give an estimator"):
        search_space(weft.Tagger)
    with pytest.raises(weft.InputError, match="no search space for str"):
        search_space("Tagger")


def test_a_trade_off_that_decoding_does_not_use_is_left_out():
    assert "gamma" not in search_space(weft.Aligner(decode="best"))
    assert "order" not in search_space(weft.Tagger(weft.Spectral()))
