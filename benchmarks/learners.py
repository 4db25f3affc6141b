"""Learners of `Tagger` on parts of three public sets, by its defaults: `python -m benchmarks.learners [SET ...]`.

Nothing is tuned, and all learners see the same features: only the learner differs. F1 is that of chunks, the share of
right phonemes for words. CPU seconds are those of `fit`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks import data

N_TRAIN, N_TEST = {"conll2000": 500, "conll2002_es": 500, "nettalk": 2000}, 1000
"""Sequences of each set."""
LEARNERS = ("CRF", "MomentSteps", "Perceptron", "StructuredSVM", "ExpectedLoss")
SETS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "conll2000": data.conll2000,
    "conll2002_es": data.conll2002_es,
    "nettalk": data.nettalk,
}


def scored(name: str, wanted: Any, predicted: Any) -> float:
    """F1 of chunks, or the share of right phonemes, in percent."""
    from weft.metrics import chunk_scores, token_accuracy

    return 100 * (token_accuracy(wanted, predicted) if name == "nettalk" else chunk_scores(wanted, predicted).f1)


def rows(name: str) -> list[tuple[str, str, str]]:
    """Learner, score and CPU seconds of each."""
    import weft

    parts = [part[:n] for part, n in zip(SETS[name](), (N_TRAIN[name], N_TEST), strict=True)]
    (X, y), (X_test, y_test) = (
        ([[row[:-1] for row in each] for each in part], [[row[-1] for row in each] for each in part]) for part in parts
    )
    words = name != "nettalk"
    window = {"width": 2, "ngrams": 2, "affixes": 3, "shape": True} if words else {"width": 4, "ngrams": 4}
    found = []
    second = [("CRF, order=2", "CRF", 2)] if words else []  # with 50 phonemes it takes minutes
    for title, learner, order in [*((each, each, 1) for each in LEARNERS), *second]:
        tagger = weft.Tagger(getattr(weft, learner)(), weft.WindowFeatures(**window), order=order, random_state=0)
        tagger.fit(X[:20], y[:20])  # compiles
        began = time.process_time()
        tagger.fit(X, y)
        seconds = time.process_time() - began
        found.append((title, f"{scored(name, y_test, tagger.predict(X_test)):.2f}", f"{seconds:.1f}"))
        print(name, *found[-1], file=sys.stderr, flush=True)
    return found


def main(names: list[str]) -> int:
    """Print a table, of all sets or of those named."""
    from weft.kinds.terminal import console_and_table

    warnings.simplefilter("ignore")
    for name in names or SETS:
        console, table = console_and_table(f"{name}, {N_TRAIN[name]} sequences", "score", "fit CPU s")
        for row in rows(name):
            table.add_row(*row)
        console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
