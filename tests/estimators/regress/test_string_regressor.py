"""StringRegressor: what it learns, what it promises, what it refuses."""

import pickle
from datetime import date, timedelta

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.datasets import load_ocr_letters
from weft.errors import InputError
from weft.kernels.vectors.products import PolynomialKernel
from weft.kernels.vectors.sums import SumKernel
from weft.language_model import NGramLanguageModel
from weft.metrics import phone_error_rate
from weft.testing import estimator_checks as checks

LETTERS = "abcdef"


def spelled(n, seed=0):
    """Strings and what a fixed code makes of them: each letter becomes one or two others, so lengths differ."""
    random = np.random.default_rng(seed)
    code = {"a": "xy", "b": "y", "c": "zx", "d": "z", "e": "w", "f": "wz"}
    X = ["".join(random.choice(list(LETTERS), size=random.integers(2, 6))) for _ in range(n)]
    return X, ["".join(code[letter] for letter in x) for x in X]


def images(words, seed=0, noise=0.3):
    random = np.random.default_rng(seed)
    shapes = np.random.default_rng(99).normal(size=(26, 8))
    return [shapes[[ord(z) - 97 for z in word]] + noise * random.normal(size=(len(word), 8)) for word in words]


LM = NGramLanguageModel(2)
WORDS = ["abba", "cab", "bead", "faced", "deaf", "ace", "added", "beef"] * 6


@pytest.fixture(scope="module")
def fitted():
    X, y = spelled(150)
    return weft.StringRegressor(weft.NGramKernel(2, min_n=1), output_order=3).fit(X, y)


def test_learns_a_code_between_strings_of_other_lengths(fitted):
    X, y = spelled(60, seed=1)
    assert fitted.score(X, y) > 0.85
    assert np.mean([a == b for a, b in zip(fitted.predict(X), y, strict=True)]) > 0.5


@pytest.mark.parametrize("preimage", ["nearest", "euler", "candidates"])
def test_reads_images_without_segmentation(preimage):
    model = weft.StringRegressor(preimage=preimage).fit(images(WORDS), WORDS)
    assert model.score(images(WORDS, seed=1), WORDS) > 0.95


@pytest.mark.parametrize("preimage", ["nearest", "euler", "candidates"])
def test_several_regressors_vote(preimage):
    kernel = SumKernel(PolynomialKernel(2, 1 / 8))
    model = weft.StringRegressor(kernel, preimage=preimage, n_regressors=3, alpha=1.0).fit(images(WORDS), WORDS)
    assert [each.ridge.kernel_.n for each in model.regressors_] == [1, 2, 3]
    assert model.score(images(WORDS, seed=1), WORDS) > 0.95
    given = weft.StringRegressor([kernel, SumKernel(PolynomialKernel(1))], preimage=preimage, alpha=1.0)
    assert len(given.fit(images(WORDS), WORDS).regressors_) == 2


def test_majority_needs_more_than_half():
    from weft.estimators.regress.gram_regressor import GramRegressor, bigram_votes
    from weft.preimages import GramSpace

    bigrams, trigrams = GramSpace.learn(["ab"], [2]), GramSpace.learn(["ab"], [3])
    half, one = np.full(3, 0.5), np.ones(3)
    members = [GramRegressor(None, bigrams, half, one), GramRegressor(None, bigrams, half, one)]
    members.append(GramRegressor(None, trigrams, half[:2], one[:2]))
    votes = bigram_votes(
        members, [np.array([[1.0, 0.0, 0.0]]), np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 1.0]])], bigrams
    )
    # ^a has both bigram regressors, ab one and the trigram ab^, b^ that trigram alone.
    assert bigrams.names() == ["^a", "ab", "b^"]
    assert votes.tolist() == [[1, 1, 0]]


# abacab and acabab have the same bigrams: only a language model can tell them apart.
TWINS = ("abacab", "acabab")


@pytest.mark.parametrize("preimage", ["euler", "nearest"])
@pytest.mark.parametrize("wanted", TWINS)
def test_language_model_decides_between_strings_of_equal_counts(preimage, wanted):
    other = TWINS[wanted == TWINS[0]]
    model = NGramLanguageModel(3, "witten_bell").fit([wanted])
    found = weft.StringRegressor(weft.NGramKernel(1), 2, preimage=preimage, language_model=model)
    found.fit(["1", "2", "1", "2"], [other] * 4)
    assert found.predict(["1"]) == [wanted]
    assert found.is_proven(["1"]).all()
    # One that is not fitted learns from the outputs.
    learned = weft.StringRegressor(
        weft.NGramKernel(1), preimage=preimage, language_model=NGramLanguageModel(3, "witten_bell")
    )
    assert learned.fit(["1", "2", "1", "2"], [other] * 4).predict(["1"]) == [other]


def test_a_fitted_language_model_is_used_as_it_is(tmp_path):
    X, y = spelled(30)
    corpus = y + spelled(100, seed=7)[1]
    model = NGramLanguageModel(3, "witten_bell").fit(corpus)
    expected = model.log_probability(corpus)
    regressor = weft.StringRegressor(language_model=model).fit(X, y)
    weft.save(regressor, tmp_path / "model.weft")
    again = weft.load(tmp_path / "model.weft")
    for each in (regressor, weft.parameters.clone(regressor).fit(X, y), again, again.fit(X, y), clone(again).fit(X, y)):
        np.testing.assert_array_equal(each.language_model_.log_probability(corpus), expected)
    assert not np.allclose(NGramLanguageModel(3, "witten_bell").fit(y).log_probability(corpus), expected)


def test_strings_of_equal_counts_are_all_among_the_best():
    days = [f"20{year}-{month:02}-{day:02}" for year in (10, 11) for month in (1, 2, 11) for day in range(1, 29, 3)]
    model = weft.StringRegressor(weft.NGramKernel(3), alpha=1e-6).fit(days, days)
    best = [text for text, _ in model.predict_kbest(["2011-01-25"], 10)[0]]
    assert {"2011-01-25", "201-011-25"} <= set(best)
    assert model.is_proven(["2011-01-25"]).all()
    assert not weft.StringRegressor(beam_width=1).fit(*spelled(60)).is_proven(spelled(40, seed=1)[0]).all()


def test_approximations_predict_alike():
    model = weft.StringRegressor(approximation="greedy", n_basis=20, random_state=0).fit(images(WORDS), WORDS)
    assert len(model.regressors_[0].ridge.basis_) == 20
    assert model.score(images(WORDS, seed=1), WORDS) > 0.9


def test_alpha_is_chosen_by_leaving_one_out():
    X, y = spelled(60)
    model = weft.StringRegressor(weft.NGramKernel(2), alpha=[1e-3, 1.0, 1e6]).fit(X, y)
    assert model.regressors_[0].ridge.alpha_ < 1e6


def test_groups_are_held_out_together():
    from weft.estimators.regress.gram_regressor import held_out_predictions
    from weft.kernel_methods.ridge.regressor import KernelRidge

    X, y = spelled(30)
    groups = [x[0] for x in X]
    targets = np.array([[text.count("x"), text.count("z")] for text in y], dtype=float)
    for parameters in ({}, {"approximation": "nystroem", "n_basis": 30, "random_state": 0}):
        ridge = KernelRidge(weft.NGramKernel(1), 0.1, **parameters)
        found = held_out_predictions(ridge, X, targets, groups)
        inside = np.array([group == "a" for group in groups])
        if not parameters:
            rest = [x for x, is_in in zip(X, inside, strict=True) if not is_in]
            without = KernelRidge(weft.NGramKernel(1), 0.1).fit(rest, targets[~inside])
            expected = without.predict([x for x, is_in in zip(X, inside, strict=True) if is_in])
            np.testing.assert_allclose(found[inside], expected, atol=1e-8)
        assert np.abs(ridge.predict(X) - targets).mean() < np.abs(found - targets).mean()
    words = ["abba", "cab", "bead"] * 8
    recalled = weft.StringRegressor().fit(images(words), words)
    cautious = weft.StringRegressor(alpha=[0.01, 1.0]).fit(images(words), words, groups=words)
    test = images(["added", "deaf"] * 5, seed=4)
    assert cautious.confidence(test).mean() < recalled.confidence(test).mean()


def test_k_best_and_confidence(fitted):
    X, y = spelled(80, seed=2)
    checks.check_kbest(weft.StringRegressor(weft.NGramKernel(2, min_n=1)), *spelled(30))
    confidence = fitted.confidence(X)
    right = np.array([a == b for a, b in zip(fitted.predict(X), y, strict=True)])
    assert ((confidence > 0) & (confidence <= 1)).all()
    assert confidence[right].mean() > confidence[~right].mean() + 0.1
    assert abs(confidence.mean() - right.mean()) < 0.25


class Overlap(weft.kernels.base.Kernel):
    """Size of the intersection of two sets."""

    def gram(self, X, Y=None):
        return np.array([[float(len(x & y)) for y in (X if Y is None else Y)] for x in X])


def test_inputs_may_be_any_objects_or_rows_of_a_gram_matrix(tmp_path):
    X, y = [{1, 2}, {2, 3}, {3, 4}, {5, 6}] * 3, ["ab", "bc", "cd", "ef"] * 3
    model = weft.StringRegressor(Overlap()).fit(X, y)
    assert model.predict([{1, 2}, {5, 6}]) == ["ab", "ef"]
    for options in ({}, {"approximation": "nystroem", "n_basis": 8, "random_state": 0}):
        wanted = weft.StringRegressor(Overlap(), **options).fit(X, y)
        given = weft.StringRegressor("precomputed", **options).fit(Overlap().gram(X), y)
        rows = Overlap().gram([{1, 2}, {3}, {5}], X)
        assert given.predict(rows) == wanted.predict([{1, 2}, {3}, {5}])
        weft.save(given, tmp_path / "model.weft")
        assert weft.load(tmp_path / "model.weft").predict(rows) == given.predict(rows)


def test_outputs_have_the_form_of_training():
    X, y = spelled(30)
    tokens = [[f"<{letter}>" for letter in text] for text in y]
    model = weft.StringRegressor(weft.NGramKernel(2, min_n=1)).fit([list(x) for x in X], tokens)
    text = weft.StringRegressor(weft.NGramKernel(2, min_n=1)).fit(X, y)
    assert [[token[1:-1] for token in each] for each in model.predict([list(x) for x in X])] == [
        list(each) for each in text.predict(X)
    ]


CASES = [
    {},
    {"preimage": "candidates"},
    {"preimage": "euler", "language_model": NGramLanguageModel(2)},
    {"input_kernel": weft.NGramKernel(1), "output_order": (1, 2)},
    {"n_regressors": 2},
    {"approximation": "nystroem", "n_basis": 7, "random_state": 1},
]


@pytest.mark.parametrize("parameters", CASES)
def test_files_and_pickles_predict_the_same(parameters, tmp_path):
    X, y = spelled(40)
    model = weft.StringRegressor(**parameters).fit(X, y)
    weft.save(model, tmp_path / "model.weft")
    expected = model.predict(X)
    assert weft.load(tmp_path / "model.weft").predict(X) == expected
    assert pickle.loads(pickle.dumps(model)).predict(X) == expected


def test_files_keep_images_once(tmp_path):
    model = weft.StringRegressor(n_regressors=3).fit(images(WORDS), WORDS)
    weft.save(model, tmp_path / "model.weft")
    again = weft.load(tmp_path / "model.weft")
    X = images(WORDS, seed=3)
    assert again.predict(X) == model.predict(X)
    np.testing.assert_allclose(again.confidence(X), model.confidence(X))
    basis = sum(each.nbytes for each in images(WORDS))
    assert again.regressors_[1].ridge.basis_ is again.regressors_[0].ridge.basis_
    coefficients = sum(each.ridge.coefficients_.nbytes for each in model.regressors_)
    assert (tmp_path / "model.weft").stat().st_size < 1.5 * (basis + coefficients) + 20_000


@pytest.mark.parametrize(
    "check",
    [
        checks.check_clone,
        checks.check_set_params,
        checks.check_fit_returns_self,
        checks.check_fit_keeps_parameters_and_inputs,
        checks.check_fitted_names,
        checks.check_not_fitted,
        checks.check_model_selection,
        checks.check_confidence,
    ],
    ids=lambda check: check.__name__,
)
def test_estimator_promises(check):
    check(weft.StringRegressor(weft.NGramKernel(2)), *spelled(12))


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({}, ["a"], ["b", "c"], "each input needs one string"),
        ({}, "abc", ["b"], "wrap it"),
        ({}, ["a"], "abc", "wrap it"),
        ({}, [], [], "is empty"),
        ({}, ["a", "b"], ["b", ""], "length 0"),
        ({"input_kernel": "rbf"}, ["a"], ["b"], "a kernel such as"),
        ({"input_kernel": weft.SubsequenceKernel(2, 0.5), "n_regressors": 9}, ["ab"], ["b"], "up to 6"),
        ({"input_kernel": [weft.NGramKernel(1)], "n_regressors": 3}, ["a"], ["b"], "as many kernels"),
        ({"input_kernel": SumKernel(PolynomialKernel(2)) + SumKernel(), "output_order": 0}, ["a"], ["b"], "order"),
        ({"preimage": "euler", "output_order": 1}, ["a", "b"], ["b", "b"], "Euler paths need"),
        ({"input_kernel": ["precomputed", weft.NGramKernel(2)]}, np.eye(2), ["ab", "b"], "'precomputed' in a list"),
        ({"input_kernel": "precomputed"}, [[1.0, 0.5], [0.2, 1.0]], ["ab", "b"], "not symmetric: it has 0.5 in row 1"),
        ({"alpha": 0.0, "input_kernel": weft.SubsequenceKernel(1, 0.5)}, ["a"] * 3, ["b", "b", "c"], "alpha=0"),
    ],
)
def test_bad_input(parameters, X, y, message):
    with pytest.raises(InputError, match=message) as caught:
        weft.StringRegressor(**parameters).fit(X, y)
    assert "\n" not in str(caught.value)


def test_bad_groups():
    with pytest.raises(InputError, match="2 groups"):
        weft.StringRegressor().fit(["a", "b", "c"], ["b", "c", "d"], groups=[1, 2])


def test_bad_input_at_predict(fitted):
    with pytest.raises(InputError, match="strings were trained on"):
        fitted.predict(images(["ab"]))
    with pytest.raises(InputError, match="wrap it"):
        fitted.predict("abc")
    euler = weft.StringRegressor(preimage="euler").fit(*spelled(20))
    with pytest.raises(InputError, match="no ranking"):
        euler.predict_kbest(["ab"])
    with pytest.warns(UserWarning, match="has no feature that the model knows; the output is a guess"):
        assert fitted.predict(["\N{SNOWMAN}"])[0] is not None


@pytest.mark.needs_data("ocr_letters")
def test_unsegmented_ocr_on_the_mini_set():
    """Train fold 0, test the first 300 words of fold 1; published: 65.3 by Euler paths with all nine folds."""
    data = load_ocr_letters()
    train, test = np.flatnonzero(data.folds == 0), np.flatnonzero(data.folds == 1)[:300]
    X, y = [data.X[i] for i in train], ["".join(data.y[i]) for i in train]
    X_test, y_test = [data.X[i] for i in test], ["".join(data.y[i]) for i in test]
    kernel = SumKernel(PolynomialKernel(2, 1 / 128))
    accuracy = {}
    for preimage, order in (("euler", 2), ("nearest", 2), ("nearest", 3)):
        model = weft.StringRegressor(kernel, output_order=order, alpha=1.0, preimage=preimage).fit(X, y)
        accuracy[preimage, order] = 100 * (1 - phone_error_rate(y_test, model.predict(X_test)))
    assert 69 < accuracy["euler", 2] < 76
    assert accuracy["nearest", 2] > 84
    assert accuracy["nearest", 3] > 92


DAYS = [date(2000, 1, 1) + timedelta(37 * k) for k in range(220)]


def test_orders_and_strength_are_chosen_by_leaving_out():
    X, y = [day.strftime("%d %B %Y") for day in DAYS], [day.isoformat() for day in DAYS]
    given = weft.StringRegressor(output_order=2, alpha=0.01).fit(X[:160], y[:160])
    chosen = weft.StringRegressor().fit(X[:160], y[:160])
    assert (given.output_order_, given.alpha_) == (2, [0.01])
    assert chosen.output_order_ == 3  # two digits do not say which third one follows
    assert chosen.score(X[160:], y[160:]) > given.score(X[160:], y[160:]) + 0.05


NAMES = ["alabama", "alaska", "arkansas", "arizona", "nebraska", "nevada", "kansas", "oklahoma"]


def noisy_names(n, seed):
    """Each of eight outputs from strings that say little about its letters but which one it is."""
    random = np.random.default_rng(seed)
    chosen = random.integers(8, size=n)
    X = ["".join(random.choice(list("abcdefgh"[i] * 5 + "abcdefgh"), size=6)) for i in chosen]
    return X, [NAMES[i] for i in chosen]


def test_the_pre_image_is_chosen_by_leaving_out(tmp_path):
    X, y = noisy_names(120, 4)
    Xt, yt = noisy_names(60, 5)
    chosen, nearest = weft.StringRegressor().fit(X, y), weft.StringRegressor(preimage="nearest").fit(X, y)
    assert (chosen.preimage_, nearest.preimage_) == ("candidates", "nearest")
    assert chosen.score(Xt, yt) > nearest.score(Xt, yt) + 0.01
    weft.save(chosen, tmp_path / "chosen")
    again = weft.load(tmp_path / "chosen")
    assert again.preimage_ == "candidates"
    assert again.predict_kbest(Xt, 2) == chosen.predict_kbest(Xt, 2)
    # An output that is left out is no candidate: where all differ, strings have to be built.
    days, written = [day.strftime("%d %B %Y") for day in DAYS], [day.isoformat() for day in DAYS]
    assert weft.StringRegressor().fit(days, written).preimage_ == "nearest"
    assert weft.StringRegressor(candidates=y).fit(X, y).preimage_ == "candidates"
    assert weft.StringRegressor(beam_width=4).fit(X, y).preimage_ == "nearest"


def test_inputs_of_which_nothing_is_known_are_told():
    """Every count is 0 for them; a score says it by itself."""
    model = weft.StringRegressor().fit(["ab", "ba", "aab", "bba"] * 3, ["x", "y", "xx", "yy"] * 3)
    told = r"X\[1\], 'zzz', has no feature that the model knows, nor have 1 of the 2 others"
    with pytest.warns(UserWarning, match=told):
        model.predict(["ab", "zzz", "QQ"])
    assert model.predict(["ab"]) == ["x"]
    assert model.score(["ab", "zzz"], ["x", "y"]) <= 1.0
