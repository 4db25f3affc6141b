"""Tagging against CRFsuite: same attributes, same L2 objective, and the averaged perceptron of both."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks import crfsuite, data, templates
from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

QUICK_TRAIN, QUICK_TEST = 300, 100

DENSE_ITERATIONS = 30
"""Of a model with a weight for all pairs: enough to compare what one costs, and where both sides are by then."""


@dataclass
class TaggingData:
    """Attribute lists and labels of a training and a test part, and how predictions are scored."""

    train_X: list[templates.Attributes]
    train_y: list[list[str]]
    test_X: list[templates.Attributes]
    test_y: list[list[str]]
    chunks: bool
    train_tokens: int = field(init=False)
    test_tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self.train_tokens = sum(map(len, self.train_y))
        self.test_tokens = sum(map(len, self.test_y))

    def scores(self, predicted: list[list[str]]) -> dict[str, float]:
        """Token accuracy, and chunk F1 or the share of wholly right words."""
        from weft import metrics

        scores = {"token accuracy": metrics.token_accuracy(self.test_y, predicted)}
        if self.chunks:
            scores["chunk F1"] = metrics.chunk_f1(self.test_y, predicted)
        else:
            scores["sequence accuracy"] = metrics.sequence_accuracy(self.test_y, predicted)
        return scores


def prepare(
    load: Callable[[], tuple[data.Sentences, data.Sentences]],
    template: templates.Template,
    chunks: bool,
    quick: bool,
    share: int = 1,
) -> TaggingData:
    """Read one in `share` training sentences and build their attributes; none of it is timed."""
    train, test = load()
    train = train[::share]
    if quick:
        train, test = train[:QUICK_TRAIN], test[:QUICK_TEST]
    return TaggingData(
        [template(sentence) for sentence in train],
        [[row[-1] for row in sentence] for sentence in train],
        [template(sentence) for sentence in test],
        [[row[-1] for row in sentence] for sentence in test],
        chunks,
    )


def new_tagger(learner: str) -> Any:
    """A weft tagger with the peer's objective (``crf``, ``dense``) or its number of passes (``perceptron``)."""
    import weft

    if learner == "crf":
        return weft.Tagger(weft.CRF(c2=1.0))
    if learner == "dense":
        return weft.Tagger(weft.CRF(c2=1.0, max_iter=DENSE_ITERATIONS), pairs="all", transitions="observed")
    return weft.Tagger(weft.Perceptron(max_iter=crfsuite.EPOCHS), random_state=0)


def weft_warm_up(learner: str) -> None:
    """Compile everything that the measured run calls, on a few tokens."""
    many = [str(number) for number in range(2**16)]  # so many are looked up, and solved for, by other code than a few
    X = [[["a", "b"], ["b"], ["c"]], [["c", *many], ["a"]]] * 4
    y = [["B-X", "I-X", "O"], ["O", "B-X"]] * 4
    tagger = new_tagger(learner).fit(X, y)
    tagger.predict(X)
    tagger.predict(tagger.encode(X))


def weft_run(data: TaggingData, meter: Meter, learner: str) -> dict[str, float]:
    """Fit, ingest included, then decode from lists and from an encoded corpus."""
    tagger = new_tagger(learner)
    with meter.phase("fit", tokens=data.train_tokens), warnings.catch_warnings():
        if learner == "dense":
            warnings.simplefilter("ignore", UserWarning)  # that its iterations were limited
        tagger.fit(data.train_X, data.train_y)
    with meter.phase("decode from lists", tokens=data.test_tokens):
        predicted = [list(labels) for labels in tagger.predict(data.test_X)]
    corpus = tagger.encode(data.test_X)
    with meter.phase("decode encoded", tokens=data.test_tokens * crfsuite.DECODE_PASSES):
        for _ in range(crfsuite.DECODE_PASSES):
            again = tagger.predict(corpus)
    if [list(labels) for labels in again] != predicted:
        raise AssertionError("weft decodes lists and an encoded corpus differently")
    scores = {"features": float(tagger.weights_.size), "iterations": float(len(tagger.history_))}
    if learner != "perceptron":
        scores["objective"] = float(tagger.history_[-1]["objective"])
    return {**scores, **data.scores(predicted)}


CORPORA: list[tuple[str, str, Callable[[bool], TaggingData]]] = [
    (
        "conll2000",
        "CoNLL-2000 chunking, the 19-attribute CRF++ template",
        partial(prepare, data.conll2000, templates.chunking, True),
    ),
    (
        "conll2002_es",
        "CoNLL-2002 Spanish entities, features of the sklearn-crfsuite tutorial, testb",
        partial(prepare, data.conll2002_es, templates.entities, True),
    ),
    (
        "nettalk",
        "NETtalk letters to phonemes, letters -4..+4",
        partial(prepare, data.nettalk, templates.letters, False),
    ),
]

LEARNERS = [
    ("crf", "lbfgs", "CRF, c2 = 1"),
    ("perceptron", "ap", f"averaged perceptron, {crfsuite.EPOCHS} epochs"),
]

ENTRIES = [
    Entry(
        name=f"{corpus}-{learner}",
        description=f"{about}; {title}",
        prepare=prepare_corpus,
        peer=Side("CRFsuite", partial(crfsuite.run, algorithm=algorithm)),
        weft=Side("weft", partial(weft_run, learner=learner), partial(weft_warm_up, learner)),
    )
    for corpus, about, prepare_corpus in CORPORA
    for learner, algorithm, title in LEARNERS
]
ENTRIES.append(
    Entry(
        name="conll2000-dense-crf",
        description=f"a quarter of CoNLL-2000, weights for all pairs; CRF, {DENSE_ITERATIONS} iterations",
        prepare=partial(prepare, data.conll2000, templates.chunking, True, share=4),
        peer=Side(
            "CRFsuite",
            partial(crfsuite.run, algorithm="lbfgs", max_iterations=DENSE_ITERATIONS, **{"feature.possible_states": 1}),
        ),
        weft=Side("weft", partial(weft_run, learner="dense"), partial(weft_warm_up, "dense")),
    )
)
