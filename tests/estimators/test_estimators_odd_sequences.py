"""Whatever pretends to be a sequence ends in one line of InputError, in every public function that takes one."""

from collections import UserDict
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import weft
from odd_sequences import Fading, LyingList, LyingTuple, odd_containers, odd_sequences, stand_in
from weft import metrics
from weft.automata import Automaton, Transducer, ngram_transducer
from weft.errors import InputError
from weft.language_model import NGramLanguageModel
from weft.preimages import GramSpace
from weft.sequences.encoder import TokenEncoder

WORDS = ["abba", "baab", "abab", "bbaa"]
LABELS = [list("xyyx"), list("yxxy"), list("xyxy"), list("yyxx")]
CLASSES = ["one", "two", "one", "two"]
PAIRS = [("ACGU", "ACU"), ("AGGU", "AGU")]
ALIGNED = [("ACGU", "AC-U"), ("AGGU", "A-GU")]
RNA = ["GGGAAACCC", "GGCAAAGCC"]
FOLDS = ["(((...)))", "((.....))"]
SENTENCES = [["a", "a"], ["a"]]
TREES = ["(S (S a) (S a))", "(S a)"]
PERCEPTRON = weft.Perceptron(2)


@cache
def tagger():
    return weft.Tagger(PERCEPTRON).fit(WORDS, LABELS)


@cache
def window_tagger():
    return weft.Tagger(PERCEPTRON, weft.WindowFeatures(1)).fit(WORDS, LABELS)


@cache
def spectral():
    return weft.SpectralTagger(2, tau=0.1, max_iter=2, random_state=0).fit(WORDS, LABELS)


@cache
def stacked():
    return weft.StackedTagger(PERCEPTRON, first=PERCEPTRON, n_folds=2, random_state=0).fit(WORDS, LABELS)


@cache
def stacked_window():
    tagger = weft.StackedTagger(PERCEPTRON, weft.WindowFeatures(1), first=PERCEPTRON, n_folds=2, random_state=0)
    return tagger.fit(WORDS, LABELS)


@cache
def aligner():
    return weft.Aligner(learner=PERCEPTRON).fit(PAIRS, ALIGNED)


@cache
def chunk_aligner():
    return weft.ChunkAligner().fit(PAIRS)


@cache
def folder():
    return weft.Folder("g6", PERCEPTRON).fit(RNA, FOLDS)


@cache
def parser():
    return weft.Parser("S -> S S | a", PERCEPTRON).fit(SENTENCES, TREES)


@cache
def rewriter():
    return weft.Rewriter(random_state=0).fit(WORDS, LABELS)


@cache
def svc(kernel):
    return weft.SequenceSVC(kernel).fit(WORDS, CLASSES)


@cache
def regressor():
    return weft.StringRegressor().fit(WORDS, WORDS[::-1])


@cache
def dependency():
    return weft.KernelDependencyEstimator().fit(WORDS, WORDS[::-1])


@cache
def language_model():
    return NGramLanguageModel(2, "witten_bell").fit(WORDS)


NGRAMS = weft.NGramKernel(2)
SUBSEQUENCES = weft.SubsequenceKernel(2)
RATIONAL = weft.RationalKernel(ngram_transducer("ab", 2))

# Name -> function of a list of sequences, and a list that it takes.
FITS = {
    "Tagger X": (lambda X: weft.Tagger(PERCEPTRON).fit(X, LABELS), WORDS),
    "Tagger y": (lambda y: weft.Tagger(PERCEPTRON).fit(WORDS, y), LABELS),
    "Tagger held-out": (lambda y: weft.Tagger(PERCEPTRON, validation_fraction=0.5).fit(WORDS, y), LABELS),
    "Tagger X_dev": (lambda X: weft.Tagger(PERCEPTRON).fit(WORDS, LABELS, X_dev=X, y_dev=LABELS), WORDS),
    "Tagger y_dev": (lambda y: weft.Tagger(PERCEPTRON).fit(WORDS, LABELS, X_dev=WORDS, y_dev=y), LABELS),
    "Tagger window": (lambda X: weft.Tagger(PERCEPTRON, weft.WindowFeatures(1)).fit(X, LABELS), WORDS),
    "Tagger stream X": (lambda X: weft.Tagger(PERCEPTRON).partial_fit(X, LABELS, classes="xy"), WORDS),
    "Tagger stream y": (lambda y: weft.Tagger(PERCEPTRON).partial_fit(WORDS, y, classes=["x", "y"]), LABELS),
    "SpectralTagger X": (lambda X: weft.SpectralTagger(2, max_iter=2).fit(X, LABELS), WORDS),
    "SpectralTagger y": (lambda y: weft.SpectralTagger(2, max_iter=2).fit(WORDS, y), LABELS),
    "StackedTagger X": (lambda X: clone(stacked()).fit(X, LABELS), WORDS),
    "StackedTagger y": (lambda y: clone(stacked()).fit(WORDS, y), LABELS),
    "StackedTagger X_dev": (lambda X: clone(stacked()).fit(WORDS, LABELS, X_dev=X, y_dev=LABELS), WORDS),
    "StackedTagger y_dev": (lambda y: clone(stacked()).fit(WORDS, LABELS, X_dev=WORDS, y_dev=y), LABELS),
    "StackedTagger window": (lambda X: clone(stacked_window()).fit(X, LABELS), WORDS),
    "Folder X": (lambda X: weft.Folder("g6", PERCEPTRON).fit(X, FOLDS), RNA),
    "Folder y": (lambda y: weft.Folder("g6", PERCEPTRON).fit(RNA, y), FOLDS),
    "Parser X": (lambda X: weft.Parser("S -> S S | a", PERCEPTRON).fit(X, TREES), SENTENCES),
    "Parser y": (lambda y: weft.Parser("S -> S S | a", PERCEPTRON).fit(SENTENCES, y), TREES),
    "Rewriter X": (lambda X: weft.Rewriter().fit(X, LABELS), [list(word) for word in WORDS]),
    "Rewriter y": (lambda y: weft.Rewriter().fit(WORDS, y), LABELS),
    "Rewriter X_dev": (lambda X: weft.Rewriter().fit(LABELS, LABELS, X_dev=X, y_dev=LABELS), LABELS),
    "Rewriter y_dev": (lambda y: weft.Rewriter().fit(LABELS, LABELS, X_dev=LABELS, y_dev=y), LABELS),
    "SequenceSVC X": (lambda X: weft.SequenceSVC(NGRAMS).fit(X, CLASSES), WORDS),
    "SequenceSVC gappy X": (lambda X: weft.SequenceSVC(weft.GappyKernel(2)).fit(X, CLASSES), WORDS),
    "SequenceSVC dual X": (lambda X: weft.SequenceSVC(SUBSEQUENCES).fit(X, CLASSES), WORDS),
    "SequenceSVC stream X": (lambda X: weft.SequenceSVC(NGRAMS).partial_fit(X, CLASSES, classes=["one", "two"]), WORDS),
    "StringRegressor X": (lambda X: weft.StringRegressor().fit(X, WORDS), WORDS),
    "StringRegressor y": (lambda y: weft.StringRegressor().fit(WORDS, y), WORDS),
    "StringRegressor candidates": (
        lambda y: weft.StringRegressor(preimage="candidates", candidates=y).fit(WORDS, WORDS),
        WORDS,
    ),
    "KernelDependencyEstimator X": (lambda X: weft.KernelDependencyEstimator().fit(X, WORDS), WORDS),
    "KernelDependencyEstimator y": (lambda y: weft.KernelDependencyEstimator().fit(WORDS, y), WORDS),
    "KernelDependencyEstimator nearest y": (
        lambda y: weft.KernelDependencyEstimator(preimage="nearest").fit(WORDS, y),
        WORDS,
    ),
    "NGramLanguageModel": (lambda X: NGramLanguageModel(2, "witten_bell").fit(X), WORDS),
    "TokenEncoder": (lambda X: TokenEncoder().encode_training(X), WORDS),
    "WindowFeatures": (lambda X: weft.WindowFeatures(1).transform(X), WORDS),
    "GramSpace": (lambda X: GramSpace.learn(X, [2]), WORDS),
}

PREDICTIONS = {
    "Tagger predict": (lambda X: tagger().predict(X), WORDS),
    "Tagger encode": (lambda X: tagger().encode(X), WORDS),
    "Tagger kbest": (lambda X: tagger().predict_kbest(X, 2), WORDS),
    "Tagger proba": (lambda X: tagger().predict_proba(X), WORDS),
    "Tagger marginals": (lambda X: tagger().predict_marginals(X), WORDS),
    "Tagger confidence": (lambda X: tagger().confidence(X), WORDS),
    "Tagger z_score": (lambda X: tagger().z_score(X), WORDS),
    "Tagger score X": (lambda X: tagger().score(X, LABELS), WORDS),
    "Tagger score y": (lambda y: tagger().score(WORDS, y), LABELS),
    "Tagger window predict": (lambda X: window_tagger().predict(X), WORDS),
    "Tagger window score": (lambda X: window_tagger().score(X, LABELS), WORDS),
    "SpectralTagger predict": (lambda X: spectral().predict(X), WORDS),
    "SpectralTagger kbest": (lambda X: spectral().predict_kbest(X, 2), WORDS),
    "SpectralTagger marginals": (lambda X: spectral().predict_marginals(X), WORDS),
    "SpectralTagger confidence": (lambda X: spectral().confidence(X), WORDS),
    "SpectralTagger score y": (lambda y: spectral().score(WORDS, y), LABELS),
    "StackedTagger predict": (lambda X: stacked().predict(X), WORDS),
    "StackedTagger encode": (lambda X: stacked().encode(X), WORDS),
    "StackedTagger kbest": (lambda X: stacked().predict_kbest(X, 2), WORDS),
    "StackedTagger marginals": (lambda X: stacked().predict_marginals(X), WORDS),
    "StackedTagger confidence": (lambda X: stacked().confidence(X), WORDS),
    "StackedTagger z_score": (lambda X: stacked().z_score(X), WORDS),
    "StackedTagger score X": (lambda X: stacked().score(X, LABELS), WORDS),
    "StackedTagger score y": (lambda y: stacked().score(WORDS, y), LABELS),
    "StackedTagger window predict": (lambda X: stacked_window().predict(X), WORDS),
    "Folder predict": (lambda X: folder().predict(X), RNA),
    "Folder kbest": (lambda X: folder().predict_kbest(X, 2), RNA),
    "Folder marginals": (lambda X: folder().predict_marginals(X), RNA),
    "Folder confidence": (lambda X: folder().confidence(X), RNA),
    "Folder z_score": (lambda X: folder().z_score(X), RNA),
    "Folder score": (lambda y: folder().score(RNA, y), FOLDS),
    "Parser predict": (lambda X: parser().predict(X), SENTENCES),
    "Parser kbest": (lambda X: parser().predict_kbest(X, 2), SENTENCES),
    "Parser marginals": (lambda X: parser().predict_marginals(X), SENTENCES),
    "Parser score X": (lambda X: parser().score(X, TREES), SENTENCES),
    "Parser score y": (lambda y: parser().score(SENTENCES, y), TREES),
    "Rewriter predict": (lambda X: rewriter().predict(X), WORDS),
    "Rewriter kbest": (lambda X: rewriter().predict_kbest(X, 2), WORDS),
    "Rewriter confidence": (lambda X: rewriter().confidence(X), WORDS),
    "Rewriter beam_loss": (lambda X: rewriter().beam_loss(X), WORDS),
    "Rewriter score y": (lambda y: rewriter().score(WORDS, y), LABELS),
    "SequenceSVC predict": (lambda X: svc(NGRAMS).predict(X), WORDS),
    "SequenceSVC decisions": (lambda X: svc(NGRAMS).decision_function(X), WORDS),
    "SequenceSVC dual predict": (lambda X: svc(SUBSEQUENCES).predict(X), WORDS),
    "SequenceSVC score": (lambda X: svc(NGRAMS).score(X, CLASSES), WORDS),
    "StringRegressor predict": (lambda X: regressor().predict(X), WORDS),
    "StringRegressor kbest": (lambda X: regressor().predict_kbest(X, 2), WORDS),
    "StringRegressor confidence": (lambda X: regressor().confidence(X), WORDS),
    "StringRegressor score": (lambda y: regressor().score(WORDS, y), WORDS),
    "KernelDependencyEstimator predict": (lambda X: dependency().predict(X), WORDS),
    "KernelDependencyEstimator kbest": (lambda X: dependency().predict_kbest(X, 2), WORDS),
    "KernelDependencyEstimator candidates": (lambda y: dependency().predict(WORDS, y), WORDS),
    "KernelDependencyEstimator losses": (lambda y: dependency().losses(y, WORDS), WORDS),
    "KernelDependencyEstimator score": (lambda y: dependency().score(WORDS, y), WORDS),
    "NGramLanguageModel log_probability": (lambda X: language_model().log_probability(X), WORDS),
    "NGramLanguageModel perplexity": (lambda X: language_model().perplexity(X), WORDS),
    "NGramLanguageModel score": (lambda X: language_model().score(X), WORDS),
}

MATRIX = weft.SubstitutionMatrix(tuple("abcdX"), np.eye(5) * 3 - 1)
KERNELS = {
    "NGramKernel": NGRAMS,
    "NGramKernel of three orders": weft.NGramKernel(3, 1),
    "GappyKernel": weft.GappyKernel(2),
    "MismatchKernel": weft.MismatchKernel(2, 1),
    "GappedKMerKernel": weft.GappedKMerKernel(3, 2),
    "WeightedDegreeKernel": weft.WeightedDegreeKernel(2, shift=1),
    "LocalityImprovedKernel": weft.LocalityImprovedKernel(1),
    "LocalAlignmentKernel": weft.LocalAlignmentKernel(MATRIX),
    "RationalKernel": RATIONAL,
    "RationalKernel by composition": weft.RationalKernel(ngram_transducer("ab", 2), "composition"),
    "SubsequenceKernel": SUBSEQUENCES,
    "Normalized": weft.Normalized(NGRAMS),
    "Normalized dual": weft.Normalized(SUBSEQUENCES),
    "RBFOver": weft.RBFOver(NGRAMS),
    "sum": NGRAMS + weft.GappyKernel(2),
    "product": NGRAMS * SUBSEQUENCES,
    "LossKernel": weft.LossKernel("edit"),
    "LossKernel hamming": weft.LossKernel("hamming"),
}
GRAMS = {
    f"{name} {use}": (function, WORDS)
    for name, kernel in KERNELS.items()
    for use, function in (
        ("gram", lambda X, kernel=kernel: kernel.gram(X)),
        ("gram of two", lambda Y, kernel=kernel: kernel.gram(WORDS, Y)),
        ("diagonal", lambda X, kernel=kernel: kernel.diagonal(X)),
    )
}
STRANDS = ["ACCA", "CAAC", "ACAC", "CCAA"]
WINDOW_PAIRS = weft.WindowPairKernel(3, 2)
GRAMS |= {
    "WindowPairKernel gram": (WINDOW_PAIRS.gram, STRANDS),
    "WindowPairKernel gram of two": (lambda Y: WINDOW_PAIRS.gram(STRANDS, Y), STRANDS),
    "WindowPairKernel diagonal": (WINDOW_PAIRS.diagonal, STRANDS),
}
MAPS = {
    f"{name} map": (lambda X, kernel=kernel: kernel.feature_map(WORDS)[0].transform(X), WORDS)
    for name, kernel in KERNELS.items()
    if kernel.has_features
}
VECTORS = {
    "SumKernel": (lambda X: weft.SumKernel().gram(X), [np.zeros((2, 1)), np.ones((3, 1))]),
    "Tagger vectors": (
        lambda X: weft.Tagger(PERCEPTRON).fit(X, LABELS),
        [np.zeros((4, 1)), np.ones((4, 1)), np.ones((4, 1)), np.ones((4, 1))],
    ),
}

METRICS = {
    f"{name} {side}": (
        (lambda y, metric=metric, good=good: metric(y, good))
        if side == "y_true"
        else (lambda y, metric=metric, good=good: metric(good, y)),
        good,
    )
    for name, metric, good in (
        ("token_accuracy", metrics.token_accuracy, LABELS),
        ("sequence_accuracy", metrics.sequence_accuracy, LABELS),
        ("chunk_f1", metrics.chunk_f1, [["B-a", "I-a", "O", "B-b"]] * 4),
        ("phone_error_rate", metrics.phone_error_rate, LABELS),
        ("word_error_rate", metrics.word_error_rate, LABELS),
        ("error_rates", metrics.error_rates, LABELS),
        ("normalized_edit_similarity", metrics.normalized_edit_similarity, LABELS),
        ("base_pair_scores", metrics.base_pair_scores, FOLDS),
    )
    for side in ("y_true", "y_pred")
}

# These diagonals are all ones or zeros, whatever the items are.
ITEMS_UNSEEN = {"LossKernel diagonal", "LossKernel hamming diagonal", "RBFOver diagonal"}
ALL = {**FITS, **PREDICTIONS, **GRAMS, **MAPS, **VECTORS, **METRICS}


def complaints(call, values):
    """What a call does with each of some values, other than to raise an InputError of one line."""
    found = []
    for name, value in values.items():
        try:
            call(value)
        except InputError as error:
            if "\n" in str(error):
                found.append(f"{name}: several lines, {error}")
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}, {error}")
        else:
            found.append(f"{name}: passed")
    return found


@pytest.mark.parametrize("name", [name for name in ALL if name not in ITEMS_UNSEEN])
def test_what_is_no_sequence_is_refused(name):
    call, good = ALL[name]
    odd = odd_sequences("abba" if isinstance(good[0], np.ndarray) else good[-1])
    assert not complaints(lambda value: call([*good[:-1], value]), odd)


@pytest.mark.parametrize("name", ALL)
def test_what_is_no_list_of_sequences_is_refused(name):
    call, good = ALL[name]
    assert not complaints(call, odd_containers(good))


@pytest.mark.parametrize("name", ALL)
def test_the_list_of_sequences_is_read_once(name):
    call, good = ALL[name]
    plain, fading = call(good), call(Fading(good))
    assert type(plain) is type(fading)
    if isinstance(plain, np.ndarray):
        np.testing.assert_array_equal(plain, fading)
    elif isinstance(plain, list | float):
        assert str(plain) == str(fading)


def fading(sequences):
    return [Fading(sequence) for sequence in sequences]


def test_each_sequence_is_read_once():
    lists = [list(word) for word in WORDS]
    plain = weft.Tagger(PERCEPTRON, random_state=0).fit(lists, LABELS, X_dev=lists, y_dev=LABELS)
    read = weft.Tagger(PERCEPTRON, random_state=0).fit(
        fading(WORDS), fading(LABELS), X_dev=fading(WORDS), y_dev=fading(LABELS)
    )
    np.testing.assert_array_equal(plain.weights_, read.weights_)
    assert plain.predict(lists) == read.predict(fading(WORDS))
    assert plain.score(lists, LABELS) == read.score(fading(WORDS), fading(LABELS))
    assert parser().predict(fading(SENTENCES)) == parser().predict(SENTENCES)
    assert aligner().predict([tuple(fading(pair)) for pair in PAIRS]) == aligner().predict(
        [tuple(map(list, pair)) for pair in PAIRS]
    )
    assert chunk_aligner().predict([fading(pair) for pair in PAIRS]) == chunk_aligner().predict(
        [tuple(map(list, pair)) for pair in PAIRS]
    )
    for kernel in (NGRAMS, SUBSEQUENCES, weft.Normalized(NGRAMS)):
        np.testing.assert_array_equal(kernel.gram(fading(WORDS)), kernel.gram(lists))
    np.testing.assert_array_equal(
        language_model().log_probability(fading(WORDS)), language_model().log_probability(WORDS)
    )


ALIGNMENTS = {
    "Aligner X": lambda X: weft.Aligner(learner=PERCEPTRON).fit(X, ALIGNED),
    "Aligner alone": lambda X: weft.Aligner(learner=weft.EM(max_iter=2)).fit(X),
    "Aligner y": lambda y: weft.Aligner(learner=PERCEPTRON).fit(PAIRS, y),
    "Aligner X_dev": lambda X: weft.Aligner(learner=PERCEPTRON).fit(PAIRS, ALIGNED, X_dev=X, y_dev=ALIGNED),
    "Aligner y_dev": lambda y: weft.Aligner(learner=PERCEPTRON).fit(PAIRS, ALIGNED, X_dev=PAIRS, y_dev=y),
    "Aligner predict": lambda X: aligner().predict(X),
    "Aligner kbest": lambda X: aligner().predict_kbest(X, 2),
    "Aligner marginals": lambda X: aligner().predict_marginals(X),
    "Aligner confidence": lambda X: aligner().confidence(X),
    "Aligner z_score": lambda X: aligner().z_score(X),
    "Aligner score X": lambda X: aligner().score(X, ALIGNED),
    "Aligner score y": lambda y: aligner().score(PAIRS, y),
    "ChunkAligner X": lambda X: weft.ChunkAligner().fit(X),
    "ChunkAligner predict": lambda X: chunk_aligner().predict(X),
    "alignment_accuracy y_true": lambda y: metrics.alignment_accuracy(y, ALIGNED),
    "alignment_accuracy y_pred": lambda y: metrics.alignment_accuracy(ALIGNED, y),
}


@pytest.mark.parametrize("name", ALIGNMENTS)
def test_odd_pairs_are_refused(name):
    call = ALIGNMENTS[name]
    call(ALIGNED if " y" in name else PAIRS)
    assert not complaints(call, odd_containers(PAIRS))
    assert not complaints(lambda pair: call([PAIRS[0], pair]), odd_sequences(("ACG", "AG")))
    assert not complaints(lambda first: call([PAIRS[0], (first, "ACU")]), odd_sequences("ACGU"))
    assert not complaints(lambda second: call([PAIRS[0], ("ACU", second)]), odd_sequences("ACGU"))


def test_pairs_come_as_rows_of_tables_too():
    row = stand_in("pandas.core.series", "Series", [], tolist=PAIRS)
    records = np.array(PAIRS, dtype=[("a", "U4"), ("b", "U4")])
    for pairs in (row, records, np.array(PAIRS), iter(PAIRS)):
        assert aligner().predict(pairs) == aligner().predict(PAIRS)


SINGLE = {
    "Automaton": (Automaton.from_string, "ab"),
    "Transducer": (Transducer.from_string, "ab"),
    "Transducer output": (lambda text: Transducer.from_string("ab", text), "ab"),
    "edit_distance": (lambda y: metrics.edit_distance(["a"], y), "ab"),
    "highlight": (lambda x: svc(NGRAMS).highlight(x), "abab"),
    "InputOutputOOM score": (lambda x: weft.InputOutputOOM([1], {("a", "x"): [[1]]}, [1]).score(x, "xx"), "aa"),
    "InputOutputOOM predict": (lambda x: weft.InputOutputOOM([1], {("a", "x"): [[1]]}, [1]).predict(x), "aa"),
}


@pytest.mark.parametrize("name", SINGLE)
def test_one_odd_sequence_is_refused(name):
    call, good = SINGLE[name]
    call(good)
    odd = odd_sequences(good)
    if "ducer" in name or name == "Automaton":  # these take any iterable that has an order
        for passed in ("generator", "map", "series", "polars series", "arrow array", "lying text"):
            del odd[passed]
    if name == "Transducer output":
        del odd["nothing"]  # the default
    assert not complaints(call, odd)


LISTS = {
    "classes": (lambda y: weft.Tagger(PERCEPTRON).partial_fit(WORDS, LABELS, classes=y), ["x", "y"]),
    "classes of SequenceSVC": (lambda y: weft.SequenceSVC(NGRAMS).partial_fit(WORDS, CLASSES, y), ["one", "two"]),
    "y of SequenceSVC": (lambda y: weft.SequenceSVC(NGRAMS).fit(WORDS, y), CLASSES),
    "y of SequenceSVC.score": (lambda y: svc(NGRAMS).score(WORDS, y), CLASSES),
    "y of LabelKernel": (lambda y: weft.LabelKernel().gram(y), CLASSES),
    "y of KernelDependencyEstimator": (
        lambda y: weft.KernelDependencyEstimator(output_kernel=weft.LabelKernel()).fit(WORDS, y),
        CLASSES,
    ),
    "groups": (lambda groups: weft.StringRegressor().fit(WORDS, WORDS, groups), CLASSES),
    "tags": (lambda tags: weft.Rewriter().fit(WORDS, LABELS, tags=tags), CLASSES),
    "columns": (
        lambda columns: weft.Aligner(learner=PERCEPTRON).fit(PAIRS, ALIGNED, columns=columns),
        [np.ones(4, dtype=bool)] * 2,
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_odd_lists_of_labels_are_refused(name):
    call, good = LISTS[name]
    call(good)
    odd = odd_containers(good)
    if name.startswith("classes"):
        del odd["set"]  # classes are sorted
    assert not complaints(call, odd)


def test_tags_of_one_sequence_may_be_a_set_but_no_table():
    pairs = [[["V", "PST"], {"V"}][i % 2] for i in range(4)]
    assert weft.Rewriter(random_state=0).fit(WORDS, LABELS, tags=pairs).has_tags_
    odd = odd_sequences(["V", "PST"])
    for passed in ("set", "frozenset"):
        del odd[passed]
    assert not complaints(lambda tag: weft.Rewriter().fit(WORDS, LABELS, tags=[*pairs[:3], tag]), odd)


class LyingDict(dict):
    def __len__(self):
        return 40


@pytest.mark.parametrize("token", [LyingList(["a", "b"]), LyingTuple(("a", "b")), LyingDict(a=1.0)])
def test_tokens_that_lie_about_their_length_are_refused(token):
    plain = {"a": 1.0} if isinstance(token, dict) else ["a"]
    with pytest.raises(InputError, match=r"X\[1\]\[1\], a Lying.*, says that it has .* items but gives"):
        weft.Tagger(PERCEPTRON).fit([[plain], [plain, token]], [["x"], ["x", "y"]])


def test_a_transformer_that_drops_tokens_is_refused():
    class Shorter:
        def transform(self, X):
            return [sequence[:1] for sequence in X]

    with pytest.raises(InputError, match="Shorter, makes 4 tokens in 4 sequences of the 16 in 4; a transformer that"):
        weft.Tagger(PERCEPTRON, Shorter()).fit(WORDS, LABELS)


WEIGHTED = {
    "Tagger": lambda w: weft.Tagger(PERCEPTRON).fit(WORDS, LABELS, w),
    "Tagger.partial_fit": lambda w: weft.Tagger(PERCEPTRON).partial_fit(WORDS, LABELS, ["x", "y"], w),
    "Tagger.score": lambda w: tagger().score(WORDS, LABELS, w),
    "SpectralTagger": lambda w: weft.SpectralTagger(2, max_iter=2).fit(WORDS, LABELS, w),
    "Rewriter": lambda w: weft.Rewriter(random_state=0).fit(WORDS, LABELS, w),
    "Rewriter.score": lambda w: rewriter().score(WORDS, LABELS, w),
    "SequenceSVC": lambda w: weft.SequenceSVC(NGRAMS).fit(WORDS, CLASSES, w),
    "SequenceSVC.score": lambda w: svc(NGRAMS).score(WORDS, CLASSES, w),
    "ChunkAligner": lambda w: weft.ChunkAligner().fit(PAIRS * 2, sample_weight=w),
    "Aligner": lambda w: weft.Aligner(learner=PERCEPTRON).fit(PAIRS * 2, ALIGNED * 2, w),
    "Aligner.score": lambda w: aligner().score(PAIRS * 2, ALIGNED * 2, w),
    "Folder": lambda w: weft.Folder("g6", PERCEPTRON).fit(RNA * 2, FOLDS * 2, w),
    "Parser": lambda w: weft.Parser("S -> S S | a", PERCEPTRON).fit(SENTENCES * 2, TREES * 2, w),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_odd_weights_are_refused(name):
    call = WEIGHTED[name]
    call(np.ones(4))
    odd = {
        "short": [1.0] * 3,
        "long": [1.0] * 5,
        "column": np.ones((4, 1)),
        "number": 1.0,
        "missing": [1.0, np.nan, 1.0, 1.0],
        "infinite": [1.0, np.inf, 1.0, 1.0],
        "negative": [1.0, -1.0, 1.0, 1.0],
        "zero": [0.0] * 4,
        "complex": np.array([1.0, 1j, 1.0, 1.0]),
        "masked": np.ma.array([1.0] * 4, mask=[0, 0, 1, 0]),
        "text": "abcd",
        "words": np.array([["several"] * 40] * 40),
        "huge": [10**400] * 4,
        "set": {1.0, 2.0, 3.0, 4.0},
        "dict": dict.fromkeys(range(4), 1.0),
        "mapping": UserDict(dict.fromkeys(range(4), 1.0)),
        "frame": stand_in("pandas", "DataFrame", ["a"], 4),
    }
    assert not complaints(call, odd)


def test_numbers_of_metrics():
    for call in (
        metrics.bootstrap_interval,
        lambda values: metrics.ratio_interval(values, [1.0, 1.0]),
        lambda values: metrics.ratio_interval([1.0, 1.0], values),
        lambda values: metrics.calibration_bins(values, [1, 1]),
        lambda values: metrics.expected_calibration_error([1, 1], values),
        metrics.honest_calibration_error,
    ):
        call([0.5, 0.5])
        assert not complaints(call, odd_containers([0.5, 0.5]))
