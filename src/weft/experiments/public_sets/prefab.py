"""Pairs of proteins aligned by structure (PREFAB 4): learned scores beside BLOSUM62 with tuned gaps.

Only columns of two capitals are scored, and only those are learned from. Pairs with other letters than the twenty amino
acids are left out. What is chosen is chosen on the training folds: gaps, of BLOSUM62 and of learned matrices, by their
accuracy; number of steps and penalty of learning by that on a fifth of the training pairs, which no step learns from.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.datasets import load_protein_prefab4
from weft.estimators.align.aligner import Aligner
from weft.estimators.align.prior import prior_weights
from weft.experiments.report import Measurement, Report, paired_p_value
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.expected_loss import ExpectedLoss
from weft.learners.generative import Generative
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.substitution_matrix import AMINO_ACIDS, SubstitutionMatrix

OPENINGS = (8.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 20.0)
EXTENSIONS = (0.5, 0.75, 1.0, 1.5)
SOFT_OPENINGS = (11.0, 14.0, 16.0, 18.0, 20.0, 22.0)
"""Gaps for expected accuracy, which takes longer; extensions cost 1."""
OPENING_FACTORS, EXTENSION_FACTORS = (0.8, 1.0, 1.2, 1.5), (0.6, 1.0, 1.6, 2.5)
"""What learned scores of gaps are multiplied with."""
BANDS = {
    "all": (0.0, 1.01),
    "below 40 %": (0.0, 0.4),
    "below 20 %": (0.0, 0.2),
    "20 to 30 %": (0.2, 0.3),
    "30 to 40 %": (0.3, 0.4),
    "40 % and more": (0.4, 1.01),
}
"""Share of equal letters among the scored columns."""
STRENGTHS = (30.0, 300.0)
"""Of the pull towards the counts; chosen inside the training folds."""
LONGEST = 100_000
"""Pairs with larger tables (product of the lengths) are tested, but not learned from: they take most of the time."""
PER_PAIR, PER_COLUMN = "share of a pair's columns, mean over pairs", "share of all columns"
BEST, ACCURACY = "best alignment", "expected accuracy"


class Pairs:
    """Proteins with references, and what fraction of the scored columns weights find.

    Parameters
    ----------
    sequences, alignments : lists of pairs of str

    Examples
    --------
    >>> pairs = Pairs([("ACD", "ACD")], [("ACd", "ACd")])
    >>> pairs.identities, pairs.n_columns
    (array([1.]), array([2]))
    """

    def __init__(self, sequences: list[tuple[str, str]], alignments: list[tuple[str, str]]) -> None:
        self.sequences = sequences
        self.alignments = alignments
        self.aligner = Aligner.from_matrix(SubstitutionMatrix.load("BLOSUM62").over(AMINO_ACIDS))
        self.aligner.reliable = "upper"
        self.identities = np.array([_identity(rows) for rows in alignments])
        self.n_columns = np.array([sum(_is_scored(a, b) for a, b in zip(*rows, strict=True)) for rows in alignments])

    def __len__(self) -> int:
        return len(self.sequences)

    def batch(self, chosen: Any = None) -> AlignmentBatch:
        """Some of the pairs with their references."""
        indices = range(len(self)) if chosen is None else chosen
        X, y = [self.sequences[i] for i in indices], [self.alignments[i] for i in indices]
        found = self.aligner.bind(X, y)
        assert isinstance(found, AlignmentBatch), "aligners bind to nothing else"
        return found

    def accuracies(self, batch: AlignmentBatch, weights: Floats, decode: str = BEST) -> Floats:
        """Share of the scored columns of each pair that are found."""
        found = batch.argmax(weights)[0] if decode == BEST else batch.most_accurate(weights, gamma=np.inf)
        return np.asarray(1.0 - batch.losses(found) / batch.reference().n_anchors)

    def shorter(self, chosen: Integers) -> Integers:
        """Those of some pairs that are short enough to learn from."""
        return chosen[[len(a) * len(b) <= LONGEST for a, b in (self.sequences[i] for i in chosen)]]

    def blosum62(self, gap_open: float, gap_extend: float) -> Floats:
        """BLOSUM62 with these costs of gaps, as weights: natural logarithms of odds."""
        return prior_weights(SubstitutionMatrix.load("BLOSUM62", -gap_open, -gap_extend), self.aligner.structure_)


def _is_scored(a: str, b: str) -> bool:
    return a.isupper() and b.isupper()


def _identity(rows: tuple[str, str]) -> float:
    return float(np.mean([a == b for a, b in zip(*rows, strict=True) if _is_scored(a, b)]))


def load_pairs() -> tuple[Pairs, int]:
    """All pairs of the twenty amino acids, and how many others there are."""
    data = load_protein_prefab4()
    kept = [i for i, pair in enumerate(data.sequences) if set("".join(pair)) <= set(AMINO_ACIDS)]
    pairs = Pairs([data.sequences[i] for i in kept], [data.alignments[i] for i in kept])
    return pairs, len(data.sequences) - len(kept)


def learn(pairs: Pairs, learner: Learner, inside: Integers, patience: int | None = None) -> tuple[Floats, float]:
    """Weights from some pairs; with `patience`, those that align a fifth of them best while the others teach.

    Returns them and the share of columns that they find in that fifth.
    """
    short = pairs.shorter(inside)
    aligner = Aligner(
        learner=learner,
        alphabet=AMINO_ACIDS,
        reliable="upper",
        prior=None,
        decode="expected",
        gamma=np.inf,
        patience=patience,
        random_state=0,
    )
    check = short[::5] if patience is not None else short[:0]
    kept = np.setdiff1d(short, check)
    # A pair counts as much as any other, whatever its length: that is how pairs are scored.
    weights = pairs.n_columns[kept].mean() / pairs.n_columns[kept]

    def take(chosen: Integers, of: list[tuple[str, str]]) -> Any:
        return [of[i] for i in chosen] if len(chosen) else None

    aligner.fit(
        take(kept, pairs.sequences),
        take(kept, pairs.alignments),
        weights,
        X_dev=take(check, pairs.sequences),
        y_dev=take(check, pairs.alignments),
    )
    return aligner.weights_, max(entry.get("score", 0.0) for entry in aligner.history_)


def tune_gaps(pairs: Pairs, weights: Floats, inside: Integers) -> Floats:
    """Learned weights with the gaps whose best alignments find most in the training pairs, as for BLOSUM62."""
    batch = pairs.batch(pairs.shorter(inside))
    tried = []
    for factors in itertools.product(OPENING_FACTORS, EXTENSION_FACTORS):
        changed = weights.copy()
        changed[-2:] *= factors
        tried.append((float(pairs.accuracies(batch, changed).mean()), factors, changed))
    return max(tried)[2]


def measure_fold(
    pairs: Pairs, grids: dict[str, dict[Any, Floats]], inside: Integers, outside: Integers, n_steps: int
) -> dict[str, Floats]:
    """Accuracy of each method on the pairs outside."""
    results: dict[str, Floats] = {}
    for decode, name in ((BEST, "tuned gaps"), (ACCURACY, f"tuned gaps, {ACCURACY}")):
        grid = grids[decode]
        results[f"BLOSUM62, {name}"] = max(grid.values(), key=lambda values: float(values[inside].mean()))[outside]
    best = max(grids[BEST].values(), key=lambda values: float(values[outside].mean()))
    results["BLOSUM62, gaps that suit the test pairs"] = best[outside]
    results["BLOSUM62, gaps 11 and 1"] = grids[BEST][11.0, 1.0][outside]
    batch = pairs.batch(outside)
    tried = [ExpectedLoss(c2, start=Generative(), max_iter=2 * n_steps) for c2 in STRENGTHS]
    learned = {
        "expected loss": max((learn(pairs, each, inside, patience=12) for each in tried), key=lambda pair: pair[1]),
        "CRF": learn(pairs, CRF(c2=1.0, max_iter=n_steps), inside),
        "counts": learn(pairs, Generative(), inside),
    }
    for name, (weights, _) in learned.items():
        for decode in (BEST, ACCURACY):
            results[f"{name}, {decode}"] = pairs.accuracies(batch, weights, decode)
        results[f"{name}, {BEST}, tuned gaps"] = pairs.accuracies(batch, tune_gaps(pairs, weights, inside))
    return results


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Five folds, of which one is tested and four train; each method on the same pairs."""
    n_replicates = n_replicates or 1
    pairs, n_others = load_pairs()
    if quick:
        short = [i for i, (a, b) in enumerate(pairs.sequences) if len(a) * len(b) <= LONGEST // 4][:100]
        pairs = Pairs([pairs.sequences[i] for i in short], [pairs.alignments[i] for i in short])
    every = pairs.batch()
    openings, soft = ((8.0, 11.0, 14.0), (14.0,)) if quick else (OPENINGS, SOFT_OPENINGS)
    grids: dict[str, dict[Any, Floats]] = {BEST: {}, ACCURACY: {}}
    for gap_open in openings:
        progress(f"BLOSUM62, gaps of {gap_open:g}")
        for gap_extend in (1.0,) if quick else EXTENSIONS:
            grids[BEST][gap_open, gap_extend] = pairs.accuracies(every, pairs.blosum62(gap_open, gap_extend))
    for gap_open in soft:
        progress(f"BLOSUM62, expected accuracy, gaps of {gap_open:g}")
        grids[ACCURACY][gap_open, 1.0] = pairs.accuracies(every, pairs.blosum62(gap_open, 1.0), ACCURACY)
    values: dict[tuple[str, str, str], list[float]] = {}
    single: dict[str, list[Floats]] = {}
    tested: list[Integers] = []
    for replicate in range(n_replicates):
        fold = np.random.default_rng([seed, replicate]).permutation(len(pairs)) % 5
        for k in range(5):
            progress(f"split {replicate + 1} of {n_replicates}, fold {k + 1} of 5")
            inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            tested.append(outside)
            for method, found in measure_fold(pairs, grids, inside, outside, 5 if quick else 30).items():
                single.setdefault(method, []).append(found)
                for band, (low, high) in BANDS.items():
                    here = (pairs.identities[outside] >= low) & (pairs.identities[outside] < high)
                    if not here.any():
                        continue
                    columns = pairs.n_columns[outside][here]
                    values.setdefault((band, method, PER_PAIR), []).append(float(found[here].mean()))
                    pooled = float(found[here] @ columns / columns.sum())
                    values.setdefault((band, method, PER_COLUMN), []).append(pooled)
    identities = pairs.identities[np.concatenate(tested)]
    return Report(
        "prefab",
        "PREFAB 4, scored columns that are found",
        PER_PAIR,
        [
            Measurement(band, method, tuple(found), quantity="" if quantity == PER_PAIR else quantity)
            for (band, method, quantity), found in values.items()
        ],
        _tests({method: np.concatenate(found) for method, found in single.items()}, identities),
        notes=[
            f"{len(pairs):,} pairs, in bands by the share of equal letters among the scored columns: "
            + ", ".join(
                f"{band} {np.count_nonzero((pairs.identities >= low) & (pairs.identities < high)):,}"
                for band, (low, high) in BANDS.items()
            )
            + f"; {n_others} with other letters are left out. One value is one fold of five.",
            f"Learned: 210 + 2 weights, from pairs whose lengths multiply to at most {LONGEST:,}. Grid of gaps: first "
            f"symbol {openings[0]:g} to {openings[-1]:g}, further ones {EXTENSIONS[0]:g} to {EXTENSIONS[-1]:g}.",
            "Expected loss begins with the counts and is pulled towards them. Columns by expected accuracy: the most "
            "probable pairs of positions instead of the most probable alignment.",
            "Gaps that suit the test pairs are the best of the grid on each test fold: no one knows them beforehand.",
        ],
        facts={"n_replicates": n_replicates, "seed": seed, "n_pairs": len(pairs), "n_left_out": n_others},
        decimals=4,
    )


def _tests(accuracies: dict[str, Floats], identities: Floats) -> list[dict[str, Any]]:
    """Paired tests over pairs of proteins: learned scores against BLOSUM62 with gaps from the training folds."""
    found = []
    for band in ("all", "below 40 %"):
        here = identities < BANDS[band][1]
        for first, second in (
            (f"expected loss, {BEST}, tuned gaps", "BLOSUM62, tuned gaps"),
            (f"expected loss, {ACCURACY}", "BLOSUM62, tuned gaps"),
            (f"expected loss, {ACCURACY}", f"BLOSUM62, tuned gaps, {ACCURACY}"),
        ):
            value = paired_p_value(accuracies[first][here], accuracies[second][here])
            found.append({"setting": band, "first": first, "second": second, "measured": value})
    return found
