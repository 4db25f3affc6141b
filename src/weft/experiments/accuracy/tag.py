"""Rows of `weft reproduce accuracy` on tagging: chunks, entities, phonemes and parts of speech.

One template for words and one for letters. They, the learners and their strengths were chosen with models of 3,000 to
7,500 sequences on other training data: on sentences 6,936 to 8,936 of CoNLL-2000, on testa for Spanish, on words of the
training part of NETtalk. CRFsuite has the same attributes and labels, and the penalty that was best for our CRF.
Classes of words come from the words of the training part, for chunks also from news of Reuters without any labels.
Chunks and entities have those of `brown_classes` too, if its package is installed, with beginnings of their paths;
on testa entities have 79.3 with them alone, 78.6 with both, and 75.0 with those of the training words alone.
Chunks are tagged twice, as `weft.StackedTagger` does: the second tagger reads what a first one answered, and so does
CRFsuite; CPU seconds of both have those of the first and of the classes. On held-out training sentences classes that
know Reuters gained .2; test sentences did not confirm it. Paths were chosen on four quarters of the training sentences,
each by a model of the other three without a first tagger: those of our classes gained .2, both .4 (.3 to .5).
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.datasets import load_conll2000, load_conll2002_es
from weft.estimators.inputs import generator
from weft.estimators.tag.stacked_tagger import columns_of, cross_answers, with_answers
from weft.estimators.tag.tagger import Tagger
from weft.experiments.accuracy.brown_classes import PACKAGE, brown_classes
from weft.experiments.accuracy.rows import Row, kept_row
from weft.experiments.accuracy.tag_attributes import Attributes, combined, syllable_attributes
from weft.experiments.accuracy.treebank_words import reuters_sentences
from weft.experiments.spectral.nettalk import split
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.structured_svm import StructuredSVM
from weft.metrics.chunks import chunk_f1
from weft.metrics.tokens import token_accuracy
from weft.parameters.cloning import clone
from weft.sequences.window import WindowFeatures
from weft.sequences.word_classes import WordClasses

N_FOLDS = 5
"""Of a first tagger, as `weft.StackedTagger` has them."""
MAX_ITER = 1000
N_PASSES = 10
"""Of CRFsuite's perceptron, as in the benchmark."""
QUICK = 120
"""Sequences of a part in a quick run."""
LETTERS = {"width": 6, "ngrams": 7}
WORDS = {"width": 2, "affixes": 4, "shape": True}
PREFIXES = [4, 6, 10]
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
    learner : Learner
    c2 : float, optional
        Penalty of CRFsuite: that of our CRF; None for its averaged perceptron, as L-BFGS takes long with many labels.
    template : dict
        Parameters of `WindowFeatures`.
    classes : WordClasses, optional
        For tokens that are words.
    text : callable, optional
        Returns sentences to learn classes from beside those of the training part; takes how many stories, or None.
    order : int
        Number of previous labels that a label depends on; CRFsuite has 1.
    first : Learner, optional
        Of a first tagger, whose answers become attributes; None for no such tagger.
    elsewhere : str, optional
        Language of `brown_classes` to tell beside the others.
    has_syllables : bool
        Whether tokens are letters of words, whose runs of vowels are told.
    """

    data: str
    measure: str
    load: Callable[[int], tuple[Part, Part]]
    learner: Learner
    c2: float | None
    template: dict[str, Any]
    classes: WordClasses | None = None
    text: Callable[[int | None], list[list[str]]] | None = None
    order: int = 1
    first: Learner | None = None
    elsewhere: str = ""
    has_syllables: bool = False
    published: float | None = None
    source: str = ""
    score: Callable[[Sequence[Any], Sequence[Any]], float] = field(default=chunk_f1)
    origin: str = "chosen on held-out training data"


def _rows_of(data: Any) -> list[list[tuple[str, str]]]:
    return [list(zip(*columns, strict=True)) for columns in zip(data.tokens, data.pos, strict=True)]


def _chunks(seed: int) -> tuple[Part, Part]:
    train, test = load_conll2000("train"), load_conll2000("test")
    return (_rows_of(train), train.labels), (_rows_of(test), test.labels)


def _entities(seed: int) -> tuple[Part, Part]:
    train, test = load_conll2002_es("train"), load_conll2002_es("testb")
    return (_rows_of(train), train.labels), (_rows_of(test), test.labels)


def _parts_of_speech(seed: int) -> tuple[Part, Part]:
    """Words alone, for the second column is what is predicted."""
    train, test = load_conll2002_es("train"), load_conll2002_es("testb")
    return (train.tokens, train.pos), (test.tokens, test.pos)


def _phonemes(seed: int) -> tuple[Part, Part]:
    """The split of `weft reproduce nettalk-size`; its development words are learned from too."""
    parts = split(seed)
    return (parts.train[0] + parts.dev[0], parts.train[1] + parts.dev[1]), parts.test


SETS = (
    TagSet(
        "CoNLL-2000 chunks",
        "F1 in %",
        _chunks,
        CRF(c2=1.0),
        1.0,
        {**WORDS, "ngrams": [2, 3], "joined": 3, "class_prefixes": PREFIXES},
        classes=WordClasses(320, min_count=5),
        text=reuters_sentences,
        first=StructuredSVM(0.1, max_iter=10),
        elsewhere="en",
        published=94.12,
        source="Chang and Wu 2005, linear SVMs without other resources (the best of 2000 has 93.48)",
        origin="with other text, without labels; chosen on training sentences, in quarters",
    ),
    TagSet(
        "CoNLL-2002 Spanish entities",
        "F1 in %",
        _entities,
        CRF(c2=1.0),
        1.0,
        {**WORDS, "ngrams": [2, 3]},
        elsewhere="es",
        published=81.39,
        source="Carreras, Marquez and Padro 2002, boosted trees with gazetteers",
        origin="with classes of other text; chosen on testa",
    ),
    TagSet(
        "NETtalk phonemes",
        "labels right in %",
        _phonemes,
        StructuredSVM(0.05, max_iter=20),
        0.1,
        LETTERS,
        order=2,
        has_syllables=True,
        score=token_accuracy,
        origin="chosen on held-out words of the training part, confirmed on others of it",
    ),
    TagSet(
        "CoNLL-2002 Spanish parts of speech",
        "labels right in %",
        _parts_of_speech,
        StructuredSVM(0.1, max_iter=15),
        None,
        {**WORDS, "ngrams": 2},
        classes=WordClasses(100),
        score=token_accuracy,
        origin="left out: nothing was chosen on it, learner as of phonemes by a window, template as of words",
    ),
)


def limited_fit(learner: Learner, seed: int, max_iter: int, order: int = 1) -> Callable[..., Tagger]:
    """What fits a tagger of attributes, with at most so many iterations."""
    limited: Any = clone(learner)
    limited.max_iter = min(limited.max_iter, max_iter)

    def fit(X: Any, y: Any, sample_weight: Any = None) -> Tagger:
        with warnings.catch_warnings():
            if limited.max_iter < MAX_ITER:
                warnings.simplefilter("ignore", UserWarning)  # that its iterations were limited
            return Tagger(limited, order=order, random_state=seed, n_jobs=1).fit(X, y, sample_weight)

    return fit


def attributes_of(each: TagSet, train: Part, X: list[Any], seed: int, max_iter: int) -> tuple[Attributes, Attributes]:
    """Attributes of the training part, and of other inputs."""
    classes = None
    if each.classes is not None:
        few = len(train[0]) <= QUICK
        classes = WordClasses(10) if few else clone(each.classes)
        more: list[Any] = [] if each.text is None else each.text(QUICK if few else None)
        classes.fit([*train[0], *more])
    features = WindowFeatures(**each.template, classes=classes)
    known, asked = features.transform(train[0]), features.transform(X)
    if each.elsewhere and (others := others_of(each)) is not None:
        known, asked = combined(known, others(train[0])), combined(asked, others(X))
    if each.has_syllables:
        known = combined(known, list(map(syllable_attributes, train[0])))
        asked = combined(asked, list(map(syllable_attributes, X)))
    if each.first is not None:
        fit = limited_fit(each.first, seed, max_iter)
        answers = fit(known, train[1]).predict(asked)
        crossed = cross_answers(fit, known, train[1], N_FOLDS, generator(seed))
        known = with_answers(known, list(map(columns_of, train[0])), crossed, chunked=True)
        asked = with_answers(asked, list(map(columns_of, X)), answers, chunked=True)
    return known, asked


def others_of(each: TagSet) -> Callable[[list[Any]], Attributes] | None:
    """What tells classes of words that were learned elsewhere; None if they are not installed."""
    classes = brown_classes(each.elsewhere)
    if classes is None:
        return None
    window = WindowFeatures(each.template["width"], 2, classes=classes, class_prefixes=PREFIXES)

    def told(X: list[Any]) -> Attributes:
        words = [[row[0] for row in rows] for rows in X]
        return [
            [tuple(f"elsewhere {name}" for name in names if name.startswith("class")) for names in sequence]
            for sequence in window.transform(words)
        ]

    return told


def crfsuite_answers(
    known: Attributes, labels: list[list[str]], asked: Attributes, c2: float | None, max_iter: int
) -> list[list[str]]:
    """Labels by CRFsuite from the same attributes, with the same rule to stop; by its perceptron without a penalty."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="ap" if c2 is None else "lbfgs", verbose=False)
    for attributes, sequence in zip(known, labels, strict=True):
        trainer.append(pycrfsuite.ItemSequence(attributes), sequence)
    stop = {"max_iterations": max_iter, "epsilon": 0.0, "delta": 1e-5, "period": 10}
    trainer.set_params({"max_iterations": N_PASSES, "epsilon": 0.0} if c2 is None else {"c1": 0.0, "c2": c2, **stop})
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model.crfsuite"))
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        found = [tagger.tag(pycrfsuite.ItemSequence(attributes)) for attributes in asked]
        tagger.close()
    return found


def row_of(each: TagSet, quick: bool, seed: int, progress: Callable[[str], None]) -> Row:
    """Both sides on one set."""
    train, test = each.load(seed)
    max_iter = MAX_ITER
    if quick:
        train, test, max_iter = (train[0][:QUICK], train[1][:QUICK]), (test[0][:QUICK], test[1][:QUICK]), 20
    progress(f"{each.data}: weft")
    few = (train[0][:QUICK], train[1][:QUICK])
    known, _ = attributes_of(each, few, test[0][:2], seed, 3)
    limited_fit(each.learner, seed, 3, each.order)(known, few[1]).predict(known[:2])  # compiles
    began = time.process_time()
    known, asked = attributes_of(each, train, test[0], seed, max_iter)
    shared = time.process_time() - began
    found = limited_fit(each.learner, seed, max_iter, each.order)(known, train[1]).predict(asked)
    seconds = time.process_time() - began
    peer: dict[str, Any] = {}
    try:
        progress(f"{each.data}: CRFsuite")
        began = time.process_time()
        answers = crfsuite_answers(known, train[1], asked, each.c2, max_iter)
        peer = {
            "peer": "CRFsuite" if each.c2 is not None else "CRFsuite, perceptron",
            "peer_score": 100.0 * each.score(test[1], answers),
            "peer_seconds": shared + time.process_time() - began,
        }
    except ImportError:
        progress(f"{each.data}: python-crfsuite is not installed")
    more = "" if each.classes is None else f", {each.classes.n_classes} classes of words"
    more += "" if each.text is None else " also of Reuters-21578"
    if each.elsewhere:
        is_there = brown_classes(each.elsewhere) is not None
        more += f", {PACKAGE}'s" if is_there else f", without those of {PACKAGE}, which is not installed"
    more += ", runs of vowels" if each.has_syllables else ""
    more += f", answers of a first {each.first}" if each.first is not None else ""
    more += f", order {each.order}" if each.order > 1 else ""
    theirs = f"{N_PASSES} passes" if each.c2 is None else f"c2 = {each.c2:g}"
    theirs += ", order 1" if each.order > 1 else ""
    template = ", ".join(f"{key} {value}" for key, value in each.template.items())
    return Row(
        each.data,
        each.measure,
        100.0 * each.score(test[1], found),
        seconds,
        f"{each.learner}, {template}{more}; CRFsuite with {theirs}",
        each.origin,
        **peer,
        published=each.published,
        source=each.source,
    )


def rows(quick: bool, seed: int, progress: Callable[[str], None]) -> Iterator[Row]:
    """A row for each set."""
    for each in SETS:
        yield kept_row(each.data, row_of, each, quick, seed, progress)
