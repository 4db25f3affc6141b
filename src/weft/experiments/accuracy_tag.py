"""Rows of `weft reproduce accuracy` on tagging: chunks, entities, phonemes and parts of speech.

One template for words and one for letters. They, the learner and its strength were chosen on held-out parts of the
training data: of CoNLL-2000 the sentences from 6,936 on, for Spanish testa, of NETtalk words of the training part.
CRFsuite has the same attributes, labels and penalty. Classes of words come from the words of the training part alone.
"""

from __future__ import annotations

import random
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.datasets import load_conll2000, load_conll2002_es, load_nettalk
from weft.estimators.tagger import Tagger
from weft.experiments.accuracy import Row
from weft.learners.crf import CRF
from weft.metrics.chunks import chunk_f1
from weft.metrics.tokens import token_accuracy
from weft.sequences.window import WindowFeatures
from weft.sequences.word_classes import WordClasses

N_LETTERS_TRAIN = 18_007
"""Words of NETtalk to train on, as in the benchmark; the other 2,001 are the test."""
N_CLASSES = 100
MAX_ITER = 1000
QUICK = 120
"""Sequences of a part in a quick run."""
LETTERS = {"width": 6, "ngrams": 7}
WORDS = {"width": 2, "affixes": 4, "shape": True}
"""The templates."""

Part = tuple[list[Any], list[list[str]]]


@dataclass(frozen=True)
class TagSet:
    """A set, how it is learned, and what was printed about it.

    Attributes
    ----------
    data, measure : str
    load : callable
        Returns the training and the test part.
    c2 : float
    template : dict
        Parameters of `WindowFeatures`.
    has_classes : bool
        Whether tokens are words, which have classes.
    split_ends : bool
        Learn labels that also tell the last and the only token of a chunk (BIOES), and predict BIO.
    """

    data: str
    measure: str
    load: Callable[[int], tuple[Part, Part]]
    c2: float
    template: dict[str, Any]
    has_classes: bool = True
    split_ends: bool = False
    published: float | None = None
    source: str = ""
    score: Callable[[Sequence[Any], Sequence[Any]], float] = field(default=chunk_f1)


def _rows_of(data: Any) -> list[list[tuple[str, str]]]:
    return [list(zip(*columns, strict=True)) for columns in zip(data.tokens, data.pos, strict=True)]


def _chunks(seed: int) -> tuple[Part, Part]:
    train, test = load_conll2000("train"), load_conll2000("test")
    return (_rows_of(train), train.labels), (_rows_of(test), test.labels)


def _entities(seed: int) -> tuple[Part, Part]:
    train, test = load_conll2002_es("train"), load_conll2002_es("testb")
    return (_rows_of(train), train.labels), (_rows_of(test), test.labels)


def _phonemes(seed: int) -> tuple[Part, Part]:
    data = load_nettalk()
    pairs = list(zip(data.words, data.phonemes, strict=True))
    random.Random(seed).shuffle(pairs)
    words, phonemes = [word for word, _ in pairs], [list(labels) for _, labels in pairs]
    n = N_LETTERS_TRAIN
    return (words[:n], phonemes[:n]), (words[n:], phonemes[n:])


SETS = (
    TagSet(
        "CoNLL-2000 chunks",
        "F1 in %",
        _chunks,
        1.0,
        {**WORDS, "ngrams": [2, 3]},
        split_ends=True,
        published=94.12,
        source="Chang and Wu 2005, linear SVMs without other resources (the best of 2000 has 93.48)",
    ),
    TagSet(
        "CoNLL-2002 Spanish entities",
        "F1 in %",
        _entities,
        1.0,
        {**WORDS, "ngrams": [2, 3]},
        published=81.39,
        source="Carreras, Marquez and Padro 2002, boosted trees with gazetteers",
    ),
    TagSet(
        "NETtalk phonemes",
        "labels right in %",
        _phonemes,
        0.1,
        LETTERS,
        has_classes=False,
        score=token_accuracy,
    ),
)


def with_ends(labels: Sequence[str]) -> list[str]:
    """BIO labels as BIOES: E for the last token of a chunk, S for one that is alone.

    Examples
    --------
    >>> with_ends(["B-NP", "I-NP", "B-NP", "O"])
    ['B-NP', 'E-NP', 'S-NP', 'O']
    """
    found = []
    for label, following in zip(labels, [*labels[1:], "O"], strict=True):
        kind, ends = label[1:], following != f"I{label[1:]}"
        found.append(label if label == "O" or not ends else {"B": "S", "I": "E"}[label[0]] + kind)
    return found


def without_ends(labels: Sequence[str]) -> list[str]:
    """BIOES labels as BIO.

    Examples
    --------
    >>> without_ends(["B-NP", "E-NP", "S-NP", "O"])
    ['B-NP', 'I-NP', 'B-NP', 'O']
    """
    return [{"S": "B", "E": "I"}.get(label[0], label[0]) + label[1:] for label in labels]


def weft_answers(each: TagSet, train: Part, X: list[Any], seed: int, max_iter: int) -> tuple[list[Any], Any]:
    """Labels by a CRF, and the template that it used, with classes of the training words."""
    classes = None
    if each.has_classes:
        frequent = len({word for sentence in train[0] for word, _ in sentence})
        classes = WordClasses(min(N_CLASSES, frequent // 10), min_count=2).fit(train[0])
    features = WindowFeatures(**each.template, classes=classes)
    tagger = Tagger(CRF(c2=each.c2, max_iter=max_iter), features, random_state=seed, n_jobs=1)
    with warnings.catch_warnings():
        if max_iter < MAX_ITER:
            warnings.simplefilter("ignore", UserWarning)  # that its iterations were limited
        return tagger.fit(*train).predict(X), features


def crfsuite_answers(train: Part, X: list[Any], features: Any, c2: float, max_iter: int) -> list[list[str]]:
    """Labels by CRFsuite from the same attributes, with the same penalty and the same rule to stop."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for attributes, labels in zip(features.transform(train[0]), train[1], strict=True):
        trainer.append(pycrfsuite.ItemSequence(attributes), labels)
    trainer.set_params({"c1": 0.0, "c2": c2, "max_iterations": max_iter, "epsilon": 0.0, "delta": 1e-5, "period": 10})
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model.crfsuite"))
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        found = [tagger.tag(pycrfsuite.ItemSequence(attributes)) for attributes in features.transform(X)]
        tagger.close()
    return found


def row_of(each: TagSet, quick: bool, seed: int, progress: Callable[[str], None]) -> Row:
    """Both sides on one set."""
    train, test = each.load(seed)
    max_iter = MAX_ITER
    if quick:
        train, test, max_iter = (train[0][:QUICK], train[1][:QUICK]), (test[0][:QUICK], test[1][:QUICK]), 20
    if each.split_ends:
        train = (train[0], [with_ends(labels) for labels in train[1]])
    read = (lambda found: [without_ends(labels) for labels in found]) if each.split_ends else list
    progress(f"{each.data}: weft")
    few = (train[0][:QUICK], train[1][:QUICK])
    weft_answers(each, few, test[0][:2], seed, 3)  # compiles
    began = time.process_time()
    found, features = weft_answers(each, train, test[0], seed, max_iter)
    seconds = time.process_time() - began
    peer: dict[str, Any] = {}
    try:
        progress(f"{each.data}: CRFsuite")
        began = time.process_time()
        answers = read(crfsuite_answers(train, test[0], features, each.c2, max_iter))
        peer = {
            "peer": "CRFsuite",
            "peer_score": 100.0 * each.score(test[1], answers),
            "peer_seconds": time.process_time() - began,
        }
    except ImportError:
        progress(f"{each.data}: python-crfsuite is not installed")
    classes = f", {N_CLASSES} classes of words" if each.has_classes else ""
    labels = ", BIOES labels" if each.split_ends else ""
    template = ", ".join(f"{key} {value}" for key, value in each.template.items())
    return Row(
        each.data,
        each.measure,
        100.0 * each.score(test[1], read(found)),
        seconds,
        f"CRF(c2={each.c2:g}), {template}{classes}{labels}",
        "chosen on held-out training data",
        **peer,
        published=each.published,
        source=each.source,
    )


def rows(quick: bool, seed: int, progress: Callable[[str], None]) -> Iterator[Row]:
    """A row for each set."""
    for each in SETS:
        yield row_of(each, quick, seed, progress)
