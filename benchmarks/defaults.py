"""Each default before and after, on data that it was not chosen on: `python -m benchmarks.defaults`.

Defaults of the aligner were chosen on every other family of PREFAB (proteins that share no name with the others); the
others are measured here. Those of classifiers and regressors are chosen within the training data of each fit, so that
every test set is new. Intervals are those of the mean paired difference, from 2,000 resamples of the test examples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_RESAMPLES = 2000
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
DNA = ("dna_CTCF", "dna_EP300", "dna_JUND", "dna_RAD21", "dna_SIN3A")
N_WORDS = 300
"""Of each language, for regressors."""

Scores = NDArray[np.float64]


def interval(before: Scores, after: Scores) -> tuple[float, float, float]:
    """Mean paired difference and the ends of its 95 % interval.

    Examples
    --------
    >>> interval(np.zeros(4), np.ones(4))
    (1.0, 1.0, 1.0)
    """
    differences = after - before
    drawn = np.random.default_rng(0).integers(len(differences), size=(N_RESAMPLES, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.025, 0.975])
    return float(differences.mean()), float(low), float(high)


def aligners() -> list[tuple[str, Scores, Scores]]:
    """Untrained, and trained on 5, 30 and 200 pairs of the families that defaults were chosen on."""
    import weft
    from weft.experiments.prefab_halves import pairs_of_halves

    (sequences, alignments), tested = pairs_of_halves()

    def taken(places: list[int]) -> tuple[list[Any], list[Any]]:
        return [sequences[i] for i in places], [alignments[i] for i in places]

    def shares(aligner: Any) -> Scores:
        batch = aligner.bind(*tested)
        found = aligner._chosen(batch, aligner.weights_)[0]
        return np.asarray(1.0 - batch.losses(found) / batch.reference().n_anchors)

    matrix = weft.SubstitutionMatrix.load("BLOSUM62").over(AMINO_ACIDS)
    untrained = [
        weft.Aligner.from_matrix(matrix, -11, -1, decode="best").set_params(reliable="upper"),
        weft.Aligner.from_matrix(matrix).set_params(reliable="upper"),
    ]
    rows = [("Aligner.from_matrix, columns right", shares(untrained[0]), shares(untrained[1]))]
    short = [i for i, (first, second) in enumerate(sequences) if len(first) * len(second) <= 100_000]
    order = np.random.default_rng(1).permutation(short).tolist()
    shared: dict[str, Any] = {"alphabet": AMINO_ACIDS, "reliable": "upper"}
    for n in (5, 30, 200):
        before = weft.Aligner(prior=None, decode="best", **shared).fit(*taken(order[:n]))
        after = weft.Aligner(**shared).fit(*taken(order[:n]))
        rows.append((f"Aligner, {n} pairs, columns right", shares(before), shares(after)))
    return rows


def classifiers() -> list[tuple[str, Scores, Scores]]:
    """Five sets of DNA, with the split that they come with."""
    import weft
    from weft.datasets import load_fastsk

    rows = []
    for name in DNA:
        train, test = load_fastsk(name, "train"), load_fastsk(name, "test")
        before, after = weft.SequenceSVC(weft.NGramKernel(4), C=1.0, random_state=0), weft.SequenceSVC(random_state=0)
        for model in (before, after):
            model.fit(train.sequences, train.labels)
        right = [np.asarray(each.predict(test.sequences) == test.labels, dtype=float) for each in (before, after)]
        rows.append((f"SequenceSVC, {name}, right", right[0], right[1]))
    return rows


def regressors() -> list[tuple[str, Scores, Scores]]:
    """From words to their sounds, in languages that nothing was tuned on; similarity of each output."""
    import weft
    from weft.datasets.pronunciation import LANGUAGES, load_g2p_sigmorphon2021
    from weft.metrics.strings import normalized_edit_similarity

    rows = []
    for name, before, after in (
        ("StringRegressor", weft.StringRegressor(output_order=2, alpha=0.01), weft.StringRegressor()),
        (
            "KernelDependencyEstimator",
            weft.KernelDependencyEstimator(alpha=1.0, preimage="candidates"),
            weft.KernelDependencyEstimator(),
        ),
    ):
        found: list[list[float]] = [[], []]
        for language in LANGUAGES["low"]:
            train, test = (load_g2p_sigmorphon2021(language, part) for part in ("train", "test"))
            for place, model in enumerate((before, after)):
                model.fit(train.inputs[:N_WORDS], train.outputs[:N_WORDS])
                predicted = model.predict(test.inputs)
                found[place] += [
                    normalized_edit_similarity([list(wanted)], [list(each)])
                    for wanted, each in zip(test.outputs, predicted, strict=True)
                ]
        title = f"{name}, {len(LANGUAGES['low'])} languages, similarity"
        rows.append((title, np.array(found[0]), np.array(found[1])))
    return rows


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print("| default, measure | n | before | after | difference | 95 % interval |\n|---|---|---|---|---|---|")
    groups: tuple[Callable[[], list[tuple[str, Scores, Scores]]], ...] = (aligners, classifiers, regressors)
    for group in groups:
        for name, before, after in group():
            mean, low, high = interval(before, after)
            cells = (name, str(len(before)), *(f"{value:.4f}" for value in (before.mean(), after.mean())))
            print("| " + " | ".join((*cells, f"{mean:+.4f}", f"{low:+.4f} to {high:+.4f}")) + " |", flush=True)


if __name__ == "__main__":
    main()
