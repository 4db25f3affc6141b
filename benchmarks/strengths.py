"""How strong the penalty of a tagger's CRF should be: `python -m benchmarks.strengths [SET ...]`.

Each set is learned from beginnings of its training part in several sizes, and scored on 600 other sequences of the same
part; nothing here sees a test part. Of 50 and 200 sequences there are four and two draws, which are scored together.
Scores are in percent; a star marks a difference from c2 = 1 whose 95 % interval, from sequences drawn with replacement,
does not have zero in it. The last columns are CPU seconds of the fits with c2 = 1 and with c2 = 0.1.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from benchmarks.learners import WORDS, chunks, differs, drawn, score, tokens
from weft import datasets
from weft.experiments.spectral.nettalk import PARTS

STRENGTHS = (1.0, 0.3, 0.1, 0.03, 0.01)
TIMED = (1.0, 0.1)
N_TEST = 600
DRAWS = {50: 4, 200: 2}
"""Training parts of a size; one of those not named."""
SMALL, MEDIUM, LARGE = (50, 200), (50, 200, 800), (50, 200, 800, 3000)


@dataclass(frozen=True)
class Set:
    """Sequences, what they are described by, how an answer counts and how many are learned from."""

    X: list[Any]
    y: list[Any]
    features: Any
    count: Callable[[Any, Any], tuple[float, float, float]]
    sizes: tuple[int, ...]


def _conll(data: Any, target: str, columns: bool, features: Any, sizes: tuple[int, ...]) -> Set:
    X, pos, labels = drawn(len(data.tokens), data.tokens, data.pos, data.labels)
    if columns:
        X = [list(zip(words, each, strict=True)) for words, each in zip(X, pos, strict=True)]
    if target == "chunks of tags":
        return Set(pos, labels, None, chunks, sizes)
    return Set(X, pos, features, tokens, sizes) if target == "tags" else Set(X, labels, features, chunks, sizes)


def _nettalk(stress: bool, features: Any, sizes: tuple[int, ...]) -> Set:
    """Without the words that `weft reproduce accuracy` tests on."""
    data = datasets.load_nettalk()
    kept = np.random.default_rng(0).permutation(len(data.words))[: PARTS[0] + PARTS[1]]
    labels = data.stress if stress else data.phonemes
    return Set([data.words[i] for i in kept], [labels[i] for i in kept], features, tokens, sizes)


def _letters(names: bool) -> Set:
    """Pixels as arrays, or the names of those that are black; without the first fold."""
    data = datasets.load_ocr_letters()
    kept = np.random.default_rng(0).permutation(np.flatnonzero(data.folds != 0))
    X = [data.X[i] for i in kept]
    if names:
        X = [[[f"{place}" for place in np.flatnonzero(pixels)] for pixels in word] for word in X]
    return Set(X, [data.y[i] for i in kept], None, tokens, MEDIUM if names else LARGE)


def _hmm() -> Set:
    X, y = datasets.make_hmm(n_labels=5, n_symbols=20, random_state=3).sample(
        2000, length=20, noise=0.1, random_state=4
    )
    return Set(X, y, None, tokens, MEDIUM)


def _rna() -> Set:
    """Which bases are paired; families are not kept apart."""
    data = datasets.load_rna_rfam()
    short = [i for i, each in enumerate(data.sequences) if len(each) <= 150]
    X, y = drawn(len(short), [data.sequences[i] for i in short], [data.structures[i] for i in short])
    paired = [["." if mark in ".,:_-~" else "p" for mark in each] for each in y]
    return Set(X, paired, weft.WindowFeatures(3, 3), tokens, SMALL)


window = weft.WindowFeatures
SETS: dict[str, Callable[[], Set]] = {
    "chunks, words and tags": lambda: _conll(datasets.load_conll2000(), "chunks", True, window(**WORDS), LARGE),
    "chunks, small window": lambda: _conll(datasets.load_conll2000(), "chunks", True, window(1), MEDIUM),
    "chunks, words": lambda: _conll(datasets.load_conll2000(), "chunks", False, window(**WORDS), MEDIUM),
    "chunks, plain tags": lambda: _conll(datasets.load_conll2000(), "chunks of tags", False, None, LARGE),
    "tags, words": lambda: _conll(datasets.load_conll2000(), "tags", False, window(**WORDS), MEDIUM),
    "tags, plain words": lambda: _conll(datasets.load_conll2000(), "tags", False, None, MEDIUM),
    "entities, words and tags": lambda: _conll(datasets.load_conll2002_es(), "names", True, window(**WORDS), LARGE),
    "entities, words": lambda: _conll(datasets.load_conll2002_es(), "names", False, window(**WORDS), MEDIUM),
    "Spanish tags, words": lambda: _conll(datasets.load_conll2002_es(), "tags", False, window(**WORDS), SMALL),
    "phonemes, window": lambda: _nettalk(False, window(4, 4), LARGE),
    "phonemes, plain letters": lambda: _nettalk(False, None, MEDIUM),
    "stress, window": lambda: _nettalk(True, window(4, 4), LARGE),
    "paired bases, window": _rna,
    "symbols of an HMM": _hmm,
    "letters, named pixels": lambda: _letters(True),
    "letters, arrays": lambda: _letters(False),
}


@dataclass(frozen=True)
class Way:
    """What tokens are described by, and what learns; ways that share a template have the same object."""

    features: Any
    learner: Any


def compared(name: str, data: Set, ways: Mapping[str, Way], timed: Sequence[str]) -> list[tuple[str, ...]]:
    """A row for each size of a set: scores of all ways, stars beside the first one, and CPU seconds of some fits."""
    found = []
    n_test = min(N_TEST, len(data.X) // 3)
    plain = data.X[: n_test + max(size * DRAWS.get(size, 1) for size in data.sizes)]
    X = {id(way.features): plain if way.features is None else way.features.transform(plain) for way in ways.values()}
    weft.Tagger(weft.CRF(c2=1.0, max_iter=2)).fit(next(iter(X.values()))[:20], data.y[:20]).predict(
        next(iter(X.values()))[:2]
    )  # compiles
    for size in data.sizes:
        # Sequences are drawn with what all draws say about them, which is not independent.
        counts = {title: np.zeros((n_test, 3)) for title in ways}
        seconds = dict.fromkeys(ways, 0.0)
        for draw in range(DRAWS.get(size, 1)):
            part = slice(n_test + draw * size, n_test + (draw + 1) * size)
            for title, way in ways.items():
                described = X[id(way.features)]
                began = time.process_time()
                tagger = weft.Tagger(way.learner, n_jobs=1).fit(described[part], data.y[part])
                seconds[title] += time.process_time() - began
                answers = zip(data.y[:n_test], tagger.predict(described[:n_test]), strict=True)
                counts[title] += [data.count(wanted, each) for wanted, each in answers]
        arrays = list(counts.values())
        stars = ["*" if differs(each, arrays[0]) else "" for each in arrays]
        scores = [f"{score(each):.2f}{star}" for each, star in zip(arrays, stars, strict=True)]
        found.append((name, f"{size:,}", *scores, *(f"{seconds[each]:.1f}" for each in timed)))
        print(*found[-1], sep=" | ", file=sys.stderr, flush=True)
    return found


def print_table(
    names: Sequence[str], offered: Sequence[str], titles: Sequence[str], rows: Callable[[str], list[tuple[str, ...]]]
) -> int:
    """Print the rows of all sets, or of those named; return the exit code."""
    unknown = [name for name in names if name not in offered]
    if unknown:
        print(f"there is no set {unknown[0]!r}; there are {', '.join(map(repr, offered))}", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    table = [row for name in names or offered for row in rows(name)]
    heading = ("set", "sequences", *titles)
    print("| " + " | ".join(heading) + " |\n|" + "---|" * len(heading))
    for row in table:
        print("| " + " | ".join(row) + " |")
    return 0


def _title(strength: float) -> str:
    return f"c2 = {strength:g}"


def main(names: list[str]) -> int:
    """Print the table, of all sets or of those named."""

    def rows(name: str) -> list[tuple[str, ...]]:
        data = SETS[name]()
        ways = {_title(each): Way(data.features, weft.CRF(c2=each)) for each in STRENGTHS}
        return compared(name, data, ways, timed)

    timed = list(map(_title, TIMED))
    titles = [*map(_title, STRENGTHS), *(f"CPU s, {each}" for each in timed)]
    return print_table(names, list(SETS), titles, rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
