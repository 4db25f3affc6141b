"""Learners on parts of nine public sets, by their defaults: `python -m benchmarks.learners [--c2 C2] [SET ...]`.

The penalty of the CRF is 1 throughout; `benchmarks.strengths` is about others. Nothing is tuned, and all learners of a
set see the same features: only the learner differs. Scores are from three-fold cross-validation within the training
part of a set (families of RNA stay together), in percent. CPU seconds are those of the three fits. A star marks a
difference from the CRF whose 95 % interval, from sequences drawn with replacement, does not have zero in it. `--c2`
gives the CRF another penalty, and leaves the others out.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft import datasets
from weft.metrics import alignment_accuracy, base_pair_scores, chunk_scores

N_FOLDS, N_DRAWS, SEED = 3, 2000, 0
LEARNERS: dict[str, Callable[[], Any]] = {
    "CRF": lambda: weft.CRF(c2=1.0),
    "steps": weft.MomentSteps,
    "perceptron": weft.Perceptron,
    "SVM": weft.StructuredSVM,
    "expected loss": weft.ExpectedLoss,
}
HEADINGS = {
    "CRF": "CRF",
    "steps": "steps",
    "perceptron": "percep.",
    "SVM": "SVM",
    "expected loss": "exp.loss",
    "CRF, order 2": "CRF 2",
    "SVM, order 2": "SVM 2",
}
"""Learners, those of second order last, and their columns, which fit a terminal."""
WORDS = {"width": 2, "ngrams": 2, "affixes": 3, "shape": True}


@dataclass(frozen=True)
class Task:
    """Examples of a set, how they are learned and how an answer counts."""

    X: list[Any]
    y: list[Any]
    make: Callable[..., Any]
    count: Callable[[Any, Any], tuple[float, float, float]]
    """Parts that are right, parts predicted and parts of the reference: F1 is made of these, and shares are too."""
    second_order: bool = False
    groups: list[str] | None = None
    learners: tuple[str, ...] = tuple(LEARNERS)


def drawn(n: int, *columns: list[Any]) -> list[list[Any]]:
    """`n` examples of a set, drawn once and for all."""
    chosen = np.random.default_rng(SEED).permutation(len(columns[0]))[:n]
    return [[column[i] for i in chosen] for column in columns]


def tokens(wanted: Any, found: Any) -> tuple[float, float, float]:
    """Labels that are right."""
    return sum(a == b for a, b in zip(wanted, found, strict=True)), len(wanted), len(wanted)


def chunks(wanted: Any, found: Any) -> tuple[float, float, float]:
    """Chunks that are right."""
    scores = chunk_scores([wanted], [found])
    return scores.correct, scores.predicted, scores.support


def whole(wanted: Any, found: Any) -> tuple[float, float, float]:
    """Whether all of it is right."""
    return float(list(wanted) == list(found)), 1.0, 1.0


def columns(wanted: Any, found: Any) -> tuple[float, float, float]:
    """Share of the columns that are right."""
    return alignment_accuracy([wanted], [found], scored="upper"), 1.0, 1.0


def pairs(wanted: Any, found: Any) -> tuple[float, float, float]:
    """Base pairs that are right."""
    n_wanted, n_found = wanted.count("("), found.count("(")
    f1 = base_pair_scores([wanted], [found]).f1
    return f1 * (n_wanted + n_found) / 2, n_found, n_wanted


def tagger(features: Any) -> Callable[..., Any]:
    """A tagger by some features, of a learner and an order."""
    return lambda learner, order=1: weft.Tagger(learner, features, order=order, random_state=SEED)


def _conll(data: Any, n: int, tags: bool = False) -> Task:
    X, pos, labels = drawn(n, data.tokens, data.pos, data.labels)
    if tags:
        return Task(X, pos, tagger(weft.WindowFeatures(**WORDS)), tokens, second_order=True)
    rows = [list(zip(words, each, strict=True)) for words, each in zip(X, pos, strict=True)]
    return Task(rows, labels, tagger(weft.WindowFeatures(**WORDS)), chunks, second_order=True)


def _nettalk(stress: bool) -> Task:
    data = datasets.load_nettalk()
    X, y = drawn(1500, data.words, data.stress if stress else data.phonemes)
    return Task(X, y, tagger(weft.WindowFeatures(4, 4)), tokens, second_order=stress)


def _letters() -> Task:
    data = datasets.load_ocr_letters()
    X, y = drawn(600, data.X, data.y)
    return Task(X, y, tagger(None), tokens, second_order=True)


def _words() -> Task:
    X, y = [], []
    for language in ("ady", "gre", "wel_sw"):  # none of those that are left out
        file = datasets.load_g2p_sigmorphon2021(language)
        X += file.inputs[:250]
        y += file.outputs[:250]
    X, y = drawn(len(X), X, y)
    return Task(X, y, lambda learner: weft.Rewriter(learner, random_state=SEED), whole, learners=STRUCTURED)


def _proteins() -> Task:
    data = datasets.load_protein_prefab4()
    short = [i for i, pair in enumerate(data.sequences) if max(map(len, pair)) <= 120]
    X, y = drawn(60, [data.sequences[i] for i in short], [data.alignments[i] for i in short])
    return Task(
        X,
        y,
        lambda learner: weft.Aligner(learner=learner, mode="global", reliable="upper", random_state=SEED),
        columns,
        learners=STRUCTURED,
    )


def _rna() -> Task:
    data = datasets.load_rna_rfam()
    short = [i for i, each in enumerate(data.sequences) if len(each) <= 80]
    X, y, families = drawn(
        300, *([column[i] for i in short] for column in (data.sequences, data.structures, data.families))
    )
    y = ["".join(mark if mark in "()" else "." for mark in each) for each in y]
    return Task(
        X,
        y,
        lambda learner: weft.Folder("g6", learner, unknown="unpaired"),
        pairs,
        groups=families,
        learners=STRUCTURED,
    )


STRUCTURED = ("CRF", "perceptron", "SVM", "expected loss")
SETS: dict[str, tuple[str, Callable[[], Task]]] = {
    "chunks": ("F1 of chunks, CoNLL-2000, 600 sentences", lambda: _conll(datasets.load_conll2000(), 600)),
    "tags": (
        "English tags from words, CoNLL-2000, 300 sentences",
        lambda: _conll(datasets.load_conll2000(), 300, True),
    ),
    "entities": (
        "F1 of entities, Spanish CoNLL-2002, 750 sentences",
        lambda: _conll(datasets.load_conll2002_es(), 750),
    ),
    "phonemes": ("phonemes, NETtalk, 1,500 words", lambda: _nettalk(False)),
    "stress": ("stress marks, NETtalk, 1,500 words", lambda: _nettalk(True)),
    "letters": ("letters in images, OCR, 600 words", _letters),
    "words": ("pronounced words, SIGMORPHON 2021, 250 of each of 3 languages", _words),
    "columns": ("columns of alignments, PREFAB, 60 pairs of at most 120 letters", _proteins),
    "pairs": ("F1 of base pairs, Rfam, 300 RNAs of at most 80 letters", _rna),
}


def folds(task: Task) -> np.ndarray[Any, Any]:
    """Number of the fold of each example."""
    if task.groups is None:
        return np.arange(len(task.X)) % N_FOLDS
    names = sorted(set(task.groups))
    place = {name: i % N_FOLDS for i, name in enumerate(np.random.default_rng(SEED).permutation(names).tolist())}
    return np.array([place[name] for name in task.groups])


def measured(task: Task, make: Callable[[], Any]) -> tuple[np.ndarray[Any, Any], float]:
    """Counts for each example from the fold that it was left out of, and CPU seconds of the fits."""
    number, counts, seconds = folds(task), np.zeros((len(task.X), 3)), 0.0
    make().fit(task.X[:20], task.y[:20])  # compiles
    for fold in range(N_FOLDS):
        inside, outside = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
        model, began = make(), time.process_time()
        model.fit([task.X[i] for i in inside], [task.y[i] for i in inside])
        seconds += time.process_time() - began
        found = model.predict([task.X[i] for i in outside])
        counts[outside] = [task.count(task.y[i], each) for i, each in zip(outside, found, strict=True)]
    return counts, seconds


def score(counts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """F1, or a share, in percent; over the last axis but one."""
    right, found, wanted = np.moveaxis(counts.sum(axis=-2), -1, 0)
    return 200 * right / (found + wanted)


def differs(counts: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> bool:
    """Whether zero is outside the 95 % interval of the difference of two scores on the same examples."""
    random = np.random.default_rng(SEED)
    draws = random.integers(len(counts), size=(N_DRAWS, len(counts)))
    low, high = np.quantile([score(counts[draw]) - score(others[draw]) for draw in draws], (0.025, 0.975))
    return bool(low > 0 or high < 0)


def row(name: str) -> dict[str, tuple[str, str]]:
    """Score and CPU seconds of each learner on one set."""
    task = SETS[name][1]()
    makers = {each: (lambda each=each: task.make(LEARNERS[each]())) for each in task.learners if each in LEARNERS}
    if task.second_order and "SVM" in LEARNERS:
        makers |= {
            f"{each}, order 2": (lambda each=each: task.make(LEARNERS[each](), order=2)) for each in ("CRF", "SVM")
        }
    found: dict[str, tuple[str, str]] = {}
    usual: Any = None
    for title, make in makers.items():
        counts, seconds = measured(task, make)
        usual = counts if usual is None else usual
        star = "*" if title != "CRF" and differs(counts, usual) else ""
        found[title] = f"{score(counts):.2f}{star}", f"{seconds:.1f}"
        print(name, title, *found[title], file=sys.stderr, flush=True)
    return found


def main(names: list[str]) -> int:
    """Print two tables, scores and CPU seconds, of all sets or of those named."""
    from weft.kinds.terminal import console_and_table

    warnings.simplefilter("ignore")
    if names[:1] == ["--c2"]:
        strength, names = float(names[1]), names[2:]
        LEARNERS.clear()
        LEARNERS["CRF"] = lambda: weft.CRF(c2=strength)
    rows = {name: row(name) for name in names or SETS}
    for place, heading in enumerate(("score, %", "fit CPU s")):
        console, table = console_and_table(heading, *HEADINGS.values())
        for name, found in rows.items():
            table.add_row(name, *(found.get(title, ("", ""))[place] for title in HEADINGS))
        console.print(table)
    for name in rows:
        console.print(f"{name}: {SETS[name][0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
