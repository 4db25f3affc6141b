"""Handwritten words put into classes, one for each word: lattices of letters against the best letter in each place.

One fold trains a classifier of single letters, a second fold the classifier of words, and the other eight are the
test. So neither classifier of words sees a letter on which the letters were trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from weft.arrays import Floats
from weft.automata import Automaton
from weft.datasets import load_ocr_letters
from weft.estimators.classify.sequence_svc import SequenceSVC
from weft.experiments.report import Measurement, Report, paired_p_value
from weft.experiments.selection import choose_kernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.ngram import NGramKernel

Progress = Callable[[str], None]

N_FOLDS = 10
ALTERNATIVES = (1, 2, 3, 5)
COSTS = (0.1, 1.0, 10.0)
ORDERS = (1, 2, 3)


def letter_lattice(posteriors: Floats, letters: Sequence[str], n_best: int) -> Automaton:
    """Lattice of a word: in each place the likeliest letters, with probabilities that sum to one.

    Examples
    --------
    >>> lattice = letter_lattice(np.array([[0.5, 0.3, 0.2], [0.0, 0.1, 0.9]]), "abc", 2)
    >>> [(arc.label, round(arc.weight, 3)) for arc in lattice.arcs()]
    [('a', 0.625), ('b', 0.375), ('b', 0.1), ('c', 0.9)]
    """
    arcs = []
    for place, row in enumerate(posteriors):
        best = np.argsort(-row, kind="stable")[:n_best]
        total = float(row[best].sum())
        arcs += [(place, letters[k], place + 1, float(row[k]) / total) for k in best.tolist()]
    return Automaton.from_arcs(arcs, final={len(posteriors): 1.0})


def best_string(posteriors: Floats, letters: Sequence[str]) -> str:
    """The likeliest letter in each place.

    Examples
    --------
    >>> best_string(np.array([[0.6, 0.4], [0.1, 0.9]]), "ab")
    'ab'
    """
    return "".join(letters[k] for k in posteriors.argmax(axis=1).tolist())


def nearest_word(posteriors: Floats, letters: Sequence[str], words: Sequence[str]) -> str:
    """The word of the same length with the largest product of probabilities, or the first one if there is none.

    Examples
    --------
    >>> nearest_word(np.array([[0.6, 0.4], [0.1, 0.9]]), "ab", ["ba", "bb", "a"])
    'bb'
    """
    place = {letter: k for k, letter in enumerate(letters)}
    fitting = [word for word in words if len(word) == len(posteriors)]
    logarithms = np.log(np.maximum(posteriors, 1e-12))

    def likelihood(word: str) -> float:
        return float(sum(logarithms[i, place[z]] if z in place else -28.0 for i, z in enumerate(word)))

    return max(fitting, key=likelihood) if fitting else words[0]


def words_wrong(X: Sequence[Any], y: Sequence[str], X_test: Sequence[Any], y_test: Sequence[str]) -> float:
    """Percentage of wrong words; the order of the n-grams and C are chosen on a fifth of the training words."""
    classes, targets = np.unique(y, return_inverse=True)
    signs = np.where(targets == np.arange(len(classes))[:, None], 1.0, -1.0)
    kernels = [Normalized(NGramKernel(n, 1)) for n in ORDERS]

    def right(wanted: Floats, decisions: Floats) -> float:
        return float(np.mean(wanted.argmax(axis=0) == decisions.argmax(axis=0)))

    chosen = choose_kernel(kernels, X, signs, COSTS, right, 0)
    svc = SequenceSVC(chosen.kernel, C=chosen.C, loss="hinge", bias=False, random_state=0)  # as it was chosen
    return 100.0 * float(np.mean(svc.fit(list(X), list(y)).predict(list(X_test)) != np.asarray(y_test)))


def replicate(data: Any, number: int, n_test: int | None, alternatives: Sequence[int]) -> dict[str, float]:
    """Errors of all methods in %, with letters from fold `number` and words from the next one."""
    letter_fold, word_fold = number % N_FOLDS, (number + 1) % N_FOLDS
    pixels = np.concatenate([x for x, fold in zip(data.X, data.folds, strict=True) if fold == letter_fold])
    labels = [z for word, fold in zip(data.y, data.folds, strict=True) if fold == letter_fold for z in word]
    classifier = LogisticRegression(C=0.1, max_iter=500).fit(pixels, labels)
    letters = classifier.classes_.tolist()
    train = np.flatnonzero(data.folds == word_fold).tolist()
    test = np.flatnonzero((data.folds != letter_fold) & (data.folds != word_fold)).tolist()[:n_test]
    posteriors = {i: classifier.predict_proba(data.X[i]) for i in [*train, *test]}
    y_train, y_test = (["".join(data.y[i]) for i in part] for part in (train, test))

    def compare(read: Callable[[Floats], Any]) -> float:
        X, X_test = ([read(posteriors[i]) for i in part] for part in (train, test))
        return words_wrong(X, y_train, X_test, y_test)

    errors = {"best string": compare(partial(best_string, letters=letters))}
    for n_best in alternatives[1:]:
        errors[f"lattice of {n_best}"] = compare(partial(letter_lattice, letters=letters, n_best=n_best))
    known = sorted(set(y_train))
    guesses = [nearest_word(posteriors[i], letters, known) for i in test]
    errors["likeliest known word"] = 100.0 * float(np.mean(np.array(guesses) != np.array(y_test)))
    right = [best_string(posteriors[i], letters) == word for i, word in zip(test, y_test, strict=True)]
    errors["best string, unclassified"] = 100.0 - 100.0 * float(np.mean(right))
    return errors


def run(*, quick: bool, n_replicates: int | None, seed: int, progress: Progress) -> Report:
    """Errors of words, with letters and words learned from one fold each; some minutes."""
    data = load_ocr_letters()
    runs = n_replicates or (1 if quick else 3)
    found = []
    for number in range(runs):
        progress(f"run {number + 1} of {runs}")
        found.append(
            replicate(data, number + seed, 300 if quick else None, ALTERNATIVES[::2] if quick else ALTERNATIVES)
        )
    methods = list(found[0])
    lattice = "lattice of 3"
    return Report(
        "ocr-lattices",
        "Handwritten words by n-grams of lattices",
        "% of words wrong",
        [Measurement("words", method, tuple(errors[method] for errors in found)) for method in methods],
        p_values=[
            {
                "setting": "words",
                "first": lattice,
                "second": "best string",
                "measured": paired_p_value([e[lattice] for e in found], [e["best string"] for e in found]),
                "published": None,
            }
        ],
        notes=[
            "Letters: logistic regression on one fold. Words: SVM on n-grams of up to 1, 2 or 3 letters, on another "
            "fold; the order and C are chosen on a fifth of it. Test: the other eight folds.",
            "Lattices keep the 2, 3 or 5 likeliest letters in each place; features are expected counts.",
            "'Likeliest known word' looks a word up by the letters' probabilities, place by place: what a list of "
            "words and aligned letters can do, which n-grams do not have.",
        ],
        facts={"n_replicates": runs, "seed": seed},
    )
