"""SequenceSVC: against scikit-learn, its storages, its promises as an estimator, bad input."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import weft
from weft.automata import Automaton
from weft.errors import InputError
from weft.kernel_methods.svm.storages.kinds import STORAGES


def make_texts(n, seed, classes=2):
    """Strings over four letters; each class likes other pairs of letters."""
    random = np.random.default_rng(seed)
    tables = np.random.default_rng(99).dirichlet(np.full(4, 0.6), size=(classes, 4))
    X, y = [], []
    for i in range(n):
        label = i % classes
        letters = [int(random.integers(4))]
        while len(letters) < 25:
            letters.append(int(random.choice(4, p=tables[label, letters[-1]])))
        X.append("".join("acgt"[k] for k in letters))
        y.append(["bad", "good", "odd"][label])
    return X, y


X, Y = make_texts(60, 0)
X_TEST, Y_TEST = make_texts(40, 1)
X3, Y3 = make_texts(90, 2, classes=3)
KERNEL = weft.NGramKernel(2)
HINGE = {"loss": "hinge", "bias": False}
"""The machine of LK: its dual variables are bounded by C."""


def test_weights_are_those_of_liblinear():
    svc = weft.SequenceSVC(KERNEL, C=0.01, tol=1e-7, max_iter=100_000, **HINGE).fit(X, Y)
    matrix = csr_matrix(KERNEL.features(X))
    peer = LinearSVC(loss="hinge", C=0.01, tol=1e-7, fit_intercept=False, max_iter=100_000).fit(matrix, Y)
    np.testing.assert_allclose(svc.weights_, peer.coef_, atol=1e-5)
    assert svc.predict(X).tolist() == peer.predict(matrix).tolist()
    assert abs(svc.gap_[0]) < 1e-4
    assert svc.score(X_TEST, Y_TEST) > 0.9


def test_three_classes_one_against_the_rest():
    svc = weft.SequenceSVC(KERNEL, C=0.01, tol=1e-7, max_iter=100_000, **HINGE).fit(X3, Y3)
    matrix = csr_matrix(KERNEL.features(X3))
    peer = LinearSVC(loss="hinge", C=0.01, tol=1e-7, fit_intercept=False, max_iter=100_000).fit(matrix, Y3)
    np.testing.assert_allclose(svc.decision_function(X3), peer.decision_function(matrix), atol=1e-4)
    assert svc.classes_.tolist() == ["bad", "good", "odd"]
    assert [entry["iteration"] for entry in svc.history_] == [1, 2, 3]


def test_as_it_comes_it_is_liblinear_as_it_comes():
    svc = weft.SequenceSVC(KERNEL, C=0.01, tol=1e-7, max_iter=100_000).fit(X, Y)
    matrix = csr_matrix(KERNEL.features(X))
    peer = LinearSVC(C=0.01, dual=True, tol=1e-7, max_iter=100_000).fit(matrix, Y)
    np.testing.assert_allclose(svc.decision_function(X_TEST), svc_by_hand(svc, X_TEST), atol=1e-9)
    np.testing.assert_allclose(svc.weights_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(svc.bias_, peer.intercept_, atol=1e-4)


def svc_by_hand(svc, texts):
    return svc.features_.transform(texts) @ svc.weights_[0] + svc.bias_[0]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("storage", STORAGES)
def test_every_storage_gives_the_same_model(storage, loss):
    wanted = weft.SequenceSVC(KERNEL, C=0.1, loss=loss, random_state=0).fit(X, Y)
    svc = weft.SequenceSVC(KERNEL, C=0.1, storage=storage, loss=loss, random_state=0).fit(X, Y)
    np.testing.assert_allclose(svc.weights_, wanted.weights_, atol=1e-9)
    np.testing.assert_allclose(svc.bias_, wanted.bias_, atol=1e-9)
    assert len(svc.storage_size_) == (0 if storage == "array" else 1)
    assert svc.n_iter_ == wanted.n_iter_


@pytest.mark.parametrize("bias", [False, True])
def test_kernel_without_features_trains_by_smo(bias):
    product = weft.NGramKernel(1) * weft.NGramKernel(2)
    options = {"loss": "hinge", "bias": bias, "tol": 1e-6, "random_state": 0}
    svc = weft.SequenceSVC(product, C=1e-4, probability=True, **options).fit(X, Y)
    gram = product.gram(X) + float(bias)
    signs = np.where(np.array(Y) == "good", 1.0, -1.0)
    coefficients = svc.alpha_[0] * signs
    np.testing.assert_allclose(svc.decision_function(X), gram @ coefficients, atol=1e-8)
    margins = signs * (gram @ coefficients)
    free = (svc.alpha_[0] > 1e-9) & (svc.alpha_[0] < 1e-4 - 1e-9)
    np.testing.assert_allclose(margins[free], 1.0, atol=1e-5)
    assert len(svc.support_) < len(X)
    assert svc.score(X_TEST, Y_TEST) > 0.9
    assert np.mean(svc.predict_proba(X_TEST).argmax(axis=1) == (np.array(Y_TEST) == "good")) > 0.9
    with pytest.raises(InputError, match="explicit features"):
        svc.top_features("good")


def test_probabilities_sum_to_one_and_follow_the_decisions():
    svc = weft.SequenceSVC(KERNEL, C=0.01, probability=True, random_state=0).fit(X3, Y3)
    found = svc.predict_proba(X3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.mean(svc.classes_[found.argmax(axis=1)] == np.array(Y3)) > 0.8
    two = weft.SequenceSVC(KERNEL, C=0.01, probability=True, random_state=0).fit(X, Y)
    order = np.argsort(two.decision_function(X_TEST))
    assert (np.diff(two.predict_proba(X_TEST)[order, 1]) >= 0).all()
    assert not hasattr(weft.SequenceSVC(), "predict_proba")
    # Honest on held-out data: the mean probability of "good" is near its share.
    assert two.predict_proba(X_TEST)[:, 1].mean() == pytest.approx(0.5, abs=0.1)


def test_sample_and_class_weights_are_factors_of_the_cost():
    weights = np.where(np.array(Y) == "good", 3.0, 1.0)
    options = {"C": 0.001, "tol": 1e-8, "max_iter": 100_000}
    by_sample = weft.SequenceSVC(KERNEL, **options).fit(X, Y, sample_weight=weights)
    by_class = weft.SequenceSVC(KERNEL, class_weight={"good": 3.0}, **options).fit(X, Y)
    np.testing.assert_allclose(by_sample.weights_, by_class.weights_, atol=1e-9)
    plain = weft.SequenceSVC(KERNEL, **options).fit(X, Y)
    balanced = weft.SequenceSVC(KERNEL, class_weight="balanced", **options).fit(X, Y)
    np.testing.assert_allclose(balanced.weights_, plain.weights_, atol=1e-9)  # the classes are of one size
    assert not np.allclose(by_class.weights_, plain.weights_, atol=1e-4)
    zero = weft.SequenceSVC(KERNEL, **options).fit(X, Y, sample_weight=[1.0] * 50 + [0.0] * 10)
    assert (zero.alpha_[0, 50:] == 0).all()


def test_stream_learns_batch_by_batch():
    svc = weft.SequenceSVC(KERNEL, C=0.01, bias=True, random_state=0)
    svc.partial_fit(X[:20], Y[:20], classes=["good", "bad"])
    first = weft.SequenceSVC(KERNEL, C=0.01, bias=True, random_state=0).fit(X[:20], Y[:20])
    np.testing.assert_allclose(svc.weights_, first.weights_)
    for start in (20, 40):
        svc.partial_fit(X[start : start + 20], Y[start : start + 20])
    assert svc.score(X_TEST, Y_TEST) > 0.85
    before = svc.weights_.copy()
    right = [x for x, d in zip(X, svc.decision_function(X), strict=True) if d > 1]
    svc.partial_fit(right, ["good"] * len(right))  # no errors, nothing to learn; one class is enough
    np.testing.assert_array_equal(svc.weights_, before)
    svc.partial_fit(X[:2], Y[:2], sample_weight=[1.0, 0.0])
    with pytest.raises(InputError, match=r"classes=\[\.\.\.\]"):
        weft.SequenceSVC().partial_fit(X, Y)
    with pytest.raises(InputError, match="not a known class"):
        svc.partial_fit(["ac"], ["new"])
    with pytest.raises(InputError, match="lacks; use fit"):
        weft.SequenceSVC(KERNEL * KERNEL).partial_fit(X, Y, classes=["bad", "good"])


GROWING = [
    KERNEL,
    weft.NGramKernel(3, min_n=1),
    weft.NGramKernel(24),  # 64 bits hold the first batch only
    weft.NGramKernel(30),  # nor that
    weft.Normalized(weft.GappyKernel(2, 0.5)),
    weft.MismatchKernel(2, 1, alphabet="abcdxyz"),
    weft.GappedKMerKernel(3, 2),
    weft.NGramKernel(1) + weft.NGramKernel(2),
    weft.RationalKernel(weft.automata.ngram_transducer("abcdxyz", 2)),
]


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
@pytest.mark.parametrize("kernel", GROWING, ids=str)
def test_stream_takes_in_features_that_the_first_batch_did_not_have(kernel):
    texts = [text * 12 for text in ("abc", "bcd", "abca", "xyz", "zya", "xaz")]
    labels, C = ["no", "yes", "no", "yes", "no", "yes"], 0.01
    svc = weft.SequenceSVC(kernel, C=C, tol=1e-10, random_state=0, **HINGE)
    svc.partial_fit(texts[:2], labels[:2], classes=["no", "yes"])
    for x, label in zip(texts[2:], labels[2:], strict=True):
        before = svc.decision_function(texts)
        svc.partial_fit([x], [label])
        # One example moves w to w + a y x, with a = (1 - y w.x) / |x|^2 between 0 and C: the kernel's values say where.
        [against], [[norm]] = kernel.gram([x], texts), kernel.gram([x])
        sign = 1.0 if label == "yes" else -1.0
        step = np.clip((1.0 - sign * before[texts.index(x)]) / norm, 0.0, C)
        assert step > 0.0 or x != texts[3]  # all its symbols are new
        np.testing.assert_allclose(svc.decision_function(texts), before + step * sign * against, atol=1e-9)
    assert svc.weights_.shape[1] == len(svc.feature_names_) == kernel.features(texts).shape[1]
    assert sorted(svc.feature_names_) == sorted(kernel.feature_map(texts)[0].names())


def test_stream_of_tokens_and_lattices_grows_too():
    for form in (list, weft.automata.Automaton.from_string):
        svc = weft.SequenceSVC(KERNEL, random_state=0).partial_fit([form("abab")], ["no"], classes=["no", "yes"])
        svc.partial_fit([form("xyxy"), form("baba")], ["yes", "no"])
        assert svc.predict([form("yxy"), form("ba")]).tolist() == ["yes", "no"]
    with pytest.raises(InputError, match="holds lists of tokens, but the columns were learned on strings"):
        weft.SequenceSVC(KERNEL).partial_fit(["abab"], ["no"], classes=["no", "yes"]).partial_fit(
            [["ab", "ba"]], ["no"]
        )


@pytest.mark.parametrize("storage", ["trie", "minimal", "naive", "hash"])
@pytest.mark.parametrize("bias", [False, True])
def test_stream_keeps_weights_in_any_storage(storage, bias):
    options = {"C": 0.01, "tol": 1e-8, "bias": bias, "random_state": 0}
    plain, stored = weft.SequenceSVC(KERNEL, **options), weft.SequenceSVC(KERNEL, storage=storage, **options)
    for start in (0, 20, 40):
        for svc in (plain, stored):
            svc.partial_fit(X[start : start + 20], Y[start : start + 20], classes=["good", "bad"])
        np.testing.assert_allclose(stored.weights_, plain.weights_, atol=1e-6)
        np.testing.assert_allclose(stored.bias_, plain.bias_, atol=1e-6)
        np.testing.assert_allclose(stored.gap_, plain.gap_, atol=1e-6)
    assert (len(plain.storage_size_), len(stored.storage_size_)) == (0, 1)
    assert stored.storage_size_[0].bytes > 0


def test_top_features_and_highlight_add_up_to_the_decision():
    svc = weft.SequenceSVC(weft.NGramKernel(3, min_n=1), C=0.01, bias=True, random_state=0).fit(X, Y)
    names, weights = zip(*svc.top_features("good", 5), strict=True)
    assert list(weights) == sorted(weights, reverse=True)
    assert svc.weights_[0, svc.feature_names_.index(names[0])] == svc.weights_.max()
    assert svc.top_features("bad", 1)[0][1] == -svc.weights_.min()
    for text in (X_TEST[0], X_TEST[1], "ac\N{SNOWMAN}gt", ""):
        shown = svc.highlight(text, "good")
        assert shown.decision == pytest.approx(svc.decision_function([text])[0])
        assert shown.contributions.sum() + svc.bias_[0] == pytest.approx(shown.decision)
        assert sum(part[3] for part in shown.features) + svc.bias_[0] == pytest.approx(shown.decision)
        assert len(shown.contributions) == len(text)
    assert svc.highlight(X_TEST[0]).label == svc.predict(X_TEST[:1])[0]
    with pytest.raises(InputError, match="not a class of this model"):
        svc.top_features("ugly")


def test_highlight_shows_text_escaped_and_coloured():
    texts = ["a<b a<b", "c&d c&d", "a<b", "c&d"]
    svc = weft.SequenceSVC(weft.NGramKernel(3)).fit(texts, [1, 0, 1, 0])
    shown = svc.highlight("say a<b or c&d", 1)
    assert str(shown) == "say [a<b] or (c&d)"
    page = shown.to_html()
    assert "a&lt;b" in page
    assert "<b" not in page.replace("<mark", "").replace("</mark", "")
    assert shown._repr_html_().startswith("<div")
    assert "\x1b[30;48;5;82m" in shown.to_ansi()
    tokens = weft.SequenceSVC(weft.NGramKernel(1)).fit([["good", "film"], ["bad", "film"]], [1, 0])
    assert str(tokens.highlight(["a", "good", "film"], 1)) == "a [good] film"


@pytest.mark.parametrize("kernel", [None, weft.NGramKernel(2), weft.NGramKernel(1) * weft.NGramKernel(2)])
def test_model_file_and_pickle_predict_the_same(kernel, tmp_path):
    svc = weft.SequenceSVC(kernel, C=1e-4, bias=True, probability=True, random_state=0).fit(X3, Y3)
    weft.save(svc, tmp_path / "svc.weft")
    for other in (weft.load(tmp_path / "svc.weft"), pickle.loads(pickle.dumps(svc))):
        np.testing.assert_array_equal(other.decision_function(X_TEST), svc.decision_function(X_TEST))
        np.testing.assert_array_equal(other.predict_proba(X_TEST), svc.predict_proba(X_TEST))
        assert other.predict(X_TEST).tolist() == svc.predict(X_TEST).tolist()
        assert other.classes_.dtype == svc.classes_.dtype
        assert repr(other.get_params()) == repr(svc.get_params())


def test_loaded_model_goes_on_learning_and_numbers_stay_numbers(tmp_path):
    svc = weft.SequenceSVC(KERNEL, C=0.01, random_state=0).fit(X, [int(label == "good") for label in Y])
    weft.save(svc, tmp_path / "svc.weft")
    other = weft.load(tmp_path / "svc.weft")
    assert other.predict(X_TEST).dtype.kind == "i"
    other.partial_fit(X_TEST, [int(label == "good") for label in Y_TEST])
    assert other.score(X_TEST, [int(label == "good") for label in Y_TEST]) > 0.9


def test_it_is_an_estimator_like_any_other():
    svc = weft.SequenceSVC(weft.NGramKernel(2), random_state=0)
    search = GridSearchCV(svc, {"kernel__n": [1, 2], "C": [0.001, 0.01]}, cv=3).fit(X, Y)
    assert search.best_params_["kernel__n"] == 2
    assert cross_val_score(svc, X, Y, cv=3).mean() > 0.8
    assert make_pipeline(svc).fit(X, Y).score(X, Y) == 1.0
    other = clone(svc.fit(X, Y))
    assert not hasattr(other, "weights_")
    assert not hasattr(svc.kernel, "kernel_")
    assert svc.kernel_ is not svc.kernel
    again = clone(svc).fit(X, Y)
    np.testing.assert_array_equal(again.weights_, svc.weights_)
    with pytest.raises(NotFittedError):
        other.predict(X)


def test_token_lists_and_unknown_symbols():
    X_tokens = [["to", "be"], ["not", "to", "be"], ["or", "not"], ["or", "else"]]
    svc = weft.SequenceSVC(weft.NGramKernel(1), bias=False).fit(X_tokens, [True, True, False, False])
    assert svc.predict([["be"], ["else", "\N{SNOWMAN}"]]).tolist() == [True, False]
    # Nothing known: decision 0, so the first of two classes, as the documentation says.
    with pytest.warns(UserWarning, match=r"X\[0\], \['\?'\], has no feature that the model knows; the"):
        assert svc.decision_function([["?"], []]).tolist() == [0.0, 0.0]
    with pytest.warns(UserWarning, match="the class is a guess: it may be too short, or have other symbols"):
        assert svc.predict([["?"]]).tolist() == [False]


@pytest.mark.parametrize(
    "kernel",
    [
        None,
        weft.NGramKernel(2),
        weft.GappedKMerKernel(3, 2),
        weft.WeightedDegreeKernel(2),
        weft.NGramKernel(1) + weft.NGramKernel(2),
        weft.NGramKernel(1) * weft.NGramKernel(2),  # no explicit features
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba"])
def test_a_sequence_of_which_nothing_is_known_is_not_classified_in_silence(kernel, method):
    """One unknown n-gram beside known ones is usual; nothing else is not, and the case of letters is often why."""
    dna = ["ACGTACGT", "CCGTACGA", "ACGACGAC", "GGTTGGTT", "GTTTGGTT", "TTGGTTGG"] * 2
    svc = weft.SequenceSVC(kernel, probability=True, random_state=0).fit(dna, [0, 0, 0, 1, 1, 1] * 2)
    ask = getattr(svc, method)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask(["ACGTxxxx", "ACGTACGT", ""])
        ask(["TTGGTTGG"])
    with pytest.warns(UserWarning, match="has no feature") as seen:
        ask(["ACGTACGT", "acgtacgt", "ggttggtt", "ACGTNNNN"])
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert str(seen[0].message) == (
        "X[1], 'acgtacgt', has no feature that the model knows, nor 1 of the 3 others; the class is a guess: training "
        "had capitals, so use them."
    )
    with pytest.warns(UserWarning, match="may be too short, or have other symbols"):
        ask(["\N{SNOWMAN}" * 8])
    assert svc.score(["acgtacgt"], [svc.classes_[0]]) in (0.0, 1.0)  # folds of short texts often share nothing


def test_weights_of_zero_are_not_nothing_known():
    """Decisions may be 0 for other reasons: a feature that speaks for nobody is known."""
    svc = weft.SequenceSVC(weft.NGramKernel(1), C=1.0, bias=False).fit(["ax", "bx", "ax", "bx"], [0, 1, 0, 1])
    svc.weights_[:, svc.feature_names_.index("x")] = 0.0
    assert svc.decision_function(["xx"]).tolist() == [0.0]  # warnings are errors


@pytest.mark.parametrize("kernel", [weft.NGramKernel(2), weft.NGramKernel(1) * weft.NGramKernel(2)], ids=str)
def test_strings_and_lists_of_tokens_are_told_apart(kernel):
    strings, lists = ["abab", "bcbc"], [["a", "b", "a", "b"], ["b", "c", "b", "c"]]
    for train, ask, message in (
        (strings, lists, "X holds lists of tokens, but .*strings; give the form of the training data"),
        (lists, strings, "X holds strings, but .*lists of tokens; give the form of the training data"),
    ):
        with pytest.raises(InputError, match=message):
            weft.SequenceSVC(kernel).fit(train, [0, 1]).predict(ask)


def test_empty_strings_are_examples_without_features():
    svc = weft.SequenceSVC(KERNEL, C=0.5, bias=True).fit([*X, ""], [*Y, "bad"])
    assert svc.decision_function([""])[0] == svc.bias_[0]


def test_lattices_are_sequences_too(tmp_path):
    lattices = [Automaton.from_string(text) for text in X]
    svc = weft.SequenceSVC(KERNEL, C=0.01, random_state=0).fit(lattices, Y)
    texts = weft.SequenceSVC(KERNEL, C=0.01, random_state=0).fit(X, Y)
    np.testing.assert_allclose(svc.weights_, texts.weights_, atol=1e-9)
    weft.save(svc, tmp_path / "svc.weft")
    assert weft.load(tmp_path / "svc.weft").predict(lattices).tolist() == svc.predict(lattices).tolist()
    with pytest.raises(InputError, match="highlight shows a string"):
        svc.highlight(lattices[0])


@pytest.mark.parametrize(("texts", "labels", "word"), [(X, Y, "passes"), (X3, Y3, "classes")])
def test_progress_is_shown_on_standard_error(texts, labels, word, capsys):
    weft.SequenceSVC(KERNEL, C=0.01, verbose=1).fit(texts, labels)
    shown = capsys.readouterr()
    assert word in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("n_classes", [2, 3])
def test_patience_keeps_the_weights_of_the_best_held_out_score(n_classes):
    texts, labels = make_texts(90, 0, n_classes)
    labels[::4] = labels[:1] * len(labels[::4])  # long training fits these errors
    X_dev, y_dev = make_texts(60, 1, n_classes)
    options = {"C": 10.0, "tol": 1e-9, "max_iter": 60, "random_state": 0, "n_jobs": 1}
    with pytest.warns(ConvergenceWarning):
        long = weft.SequenceSVC(weft.NGramKernel(2), **options).fit(texts, labels)
    early = weft.SequenceSVC(weft.NGramKernel(2), patience=3, **options).fit(texts, labels, X_dev=X_dev, y_dev=y_dev)
    assert early.n_iter_ < long.n_iter_ == 60

    def right(svc):  # of each problem: the sign of a decision against that of the label
        decisions = svc.decision_function(X_dev).reshape(len(X_dev), -1)
        wanted = svc.classes_[1:] if n_classes == 2 else svc.classes_
        return ((decisions > 0) == (np.array(y_dev)[:, None] == wanted)).mean(axis=0)

    scores = [entry["score"] for entry in early.history_]
    if n_classes == 2:
        assert right(early) == max(scores) >= right(long)
        assert len(scores) == early.n_iter_ == np.argmax(scores) + 1 + 3
    else:
        np.testing.assert_array_equal(right(early), scores)
        assert (right(early) >= right(long)).all()


def test_a_held_out_part_is_not_learned_from():
    svc = weft.SequenceSVC(weft.NGramKernel(2), validation_fraction=0.25, random_state=0).fit(X, Y)
    assert svc.alpha_.shape == (1, len(X) - len(X) // 4)
    assert all(0.0 <= entry["score"] <= 1.0 for entry in svc.history_)
    rare = weft.SequenceSVC(weft.NGramKernel(2), validation_fraction=0.9, random_state=0).fit(
        ["ab", "ba"] * 9, [0, 1] * 9
    )
    assert rare.classes_.tolist() == [0, 1]


BAD = {
    "a bare string": (("abc", ["a"]), {}, "wrap it"),
    "None": ((None, ["a"]), {}, "NoneType"),
    "no sequences": (([], []), {}, "X is empty"),
    "numbers as sequences": (([1, 2], ["a", "b"]), {}, "string"),
    "other lengths": ((X, Y[:-1]), {}, "60 sequences but y has 59"),
    "a bare string as y": ((X, "abc"), {}, "y is a str"),
    "no y": ((X, None), {}, "NoneType"),
    "one class": ((X, ["a"] * 60), {}, "one class only, 'a'"),
    "lists as labels": ((X, [["a"]] * 60), {}, "lists or arrays"),
    "labels of two types": ((X, [1, *Y[1:]]), {}, "one type"),
    "missing labels": ((X, [None, *Y[1:]]), {}, r"y\[0\] is None, a missing label"),
    "not a number as label": ((X, [float("nan"), *range(59)]), {}, r"y\[0\] is nan, a missing label"),
    "C of zero": ((X, Y), {"C": 0}, "C is 0"),
    "C not a number": ((X, Y), {"C": float("nan")}, "C is nan"),
    "C as text": ((X, Y), {"C": "1"}, "C is '1'"),
    "tol below zero": ((X, Y), {"tol": -1.0}, "tol is"),
    "max_iter of zero": ((X, Y), {"max_iter": 0}, "max_iter"),
    "unknown storage": ((X, Y), {"storage": "heap"}, "'minimal'"),
    "unknown loss": ((X, Y), {"loss": "log"}, "squared_hinge"),
    "no kernel": ((X, Y), {"kernel": "rbf"}, "NGramKernel"),
    "storage without features": ((X, Y), {"kernel": KERNEL * KERNEL, "storage": "trie"}, "explicit features"),
    "unknown class weights": ((X, Y), {"class_weight": {"ugly": 1.0}}, "ugly"),
    "class weights as text": ((X, Y), {"class_weight": "even"}, "balanced"),
    "negative class weights": ((X, Y), {"class_weight": {"good": -1.0}}, ">= 0"),
    "weights of one class only": ((X, Y), {"class_weight": {"good": 0.0}}, "only one class"),
    "sequences without features": ((["a", ""], ["x", "y"]), {}, "too short"),
    "too few to hold out": ((X[:3], ["a", "b", "b"]), {"probability": True}, "two examples of each class"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(case):
    arguments, options, message = BAD[case]
    with pytest.raises(InputError, match=message) as error:
        weft.SequenceSVC(**{"kernel": KERNEL, **options}).fit(*arguments)
    assert "\n" not in str(error.value)


def test_bad_input_at_prediction():
    svc = weft.SequenceSVC(KERNEL, C=0.1).fit(X, Y)
    for bad in ("abc", None, [], [["a", "c"]]):
        with pytest.raises(InputError):
            svc.predict(bad)
    with pytest.raises(InputError, match=r"y\[0\] is 'ugly', not a known class; known are 'bad', 'good'\."):
        svc.score(["ac"], ["ugly"])
    with pytest.raises(InputError, match=r"'ugly' is not a class of this model; its classes are 'bad', 'good'\."):
        svc.top_features("ugly")
    svc.probability = True
    with pytest.raises(InputError, match="probability=True"):
        svc.predict_proba(X)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["good", "ugly"], "y_dev[1] is 'ugly', not a known class; known are 'bad', 'good'."),
        (["good"], "X_dev has 2 sequences but y_dev has 1 labels; each sequence needs one label."),
        (["good", None], "y_dev[1] is None, a missing label; give it one, or drop the example."),
        ("good", "y_dev is a str; a list with one label for each sequence is needed."),
    ],
)
def test_bad_held_out_labels_are_called_by_their_name(labels, message):
    with pytest.raises(InputError) as error:
        weft.SequenceSVC(KERNEL, C=0.1).fit(X, Y, X_dev=X[:2], y_dev=labels)
    assert str(error.value) == message


def test_predictions_are_nearly_those_of_libsvm_on_the_gram_matrix():
    svc = weft.SequenceSVC(KERNEL, C=0.001, bias=True).fit(X, Y)
    peer = SVC(kernel="precomputed", C=0.001).fit(KERNEL.gram(X), Y)  # its offset is free, ours costs
    assert np.mean(peer.predict(KERNEL.gram(X_TEST, X)) == svc.predict(X_TEST)) > 0.9


def test_the_cost_of_an_error_is_chosen_and_the_kernel_normalised():
    random = np.random.default_rng(0)
    X = ["".join(random.choice(list("abcd"), 12)) for _ in range(80)]
    y = ["many" if x.count("a") + random.integers(-1, 2) > 3 else "few" for x in X]
    svc = weft.SequenceSVC().fit(X, y)
    assert repr(svc.kernel_) == repr(weft.BlendedSpectrumKernel())
    assert svc.C_ in (0.3, 1.0, 3.0, 10.0)
    again = weft.SequenceSVC(C=svc.C_, random_state=0).fit(X, y)
    np.testing.assert_allclose(weft.SequenceSVC(random_state=0).fit(X, y).weights_, again.weights_)
    assert weft.SequenceSVC().fit(["ab ab", "cd cd", "ef ef"], ["x", "y", "z"]).C_ == 1.0  # nothing to leave out


def test_texts_in_another_case_are_told_although_they_share_blanks():
    svc = weft.SequenceSVC(random_state=0).fit(
        ["the cat sat", "that other thing", "le chat est la", "une autre chose"], ["en", "en", "fr", "fr"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svc.predict(["The Cat", "ZZZ the cat", "42 the"])
    with pytest.warns(
        UserWarning, match=r"most letters of X\[1\], 'THE OTHER', are unknown, but known as small"
    ) as seen:
        svc.predict(["the", "THE OTHER", "UNE AUTRE"])
    assert (len(seen), seen[0].filename) == (1, __file__)


@pytest.mark.parametrize("odd", [{1}, {}, 1, ["p"]], ids=repr)
def test_a_score_of_labels_that_are_none_is_refused(odd):
    svc = weft.SequenceSVC().fit(["ab", "cd"], ["p", "q"])
    with pytest.raises(InputError, match=r"^y"):
        svc.score(["ab", "cd"], ["p", odd])
