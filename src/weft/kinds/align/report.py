"""Reports on models that align."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from weft.kinds.align.kind import Columns, scored_columns
from weft.kinds.base import Kind
from weft.kinds.reporting import length_facts, strongest, worst
from weft.reports import Block, Case, Confusion, FeatureGroup, Picture
from weft.reports.calibration import calibration_of
from weft.reports.numbers import decimal
from weft.reports.pictures import heat_map
from weft.sequences.formats.alignments import AlignedPair

CHUNK = 50
"""Pairs whose probabilities are in memory together."""


def sections(kind: Kind, examples: list[AlignedPair], predicted: list[Any]) -> dict[str, Any]:
    """What became of each letter, probabilities of columns, wrong alignments, the matrix."""
    aligner = kind.estimator
    upper = aligner.reliable == "upper"
    both = [
        (scored_columns(pair.rows, upper), scored_columns(rows)) for pair, rows in zip(examples, predicted, strict=True)
    ]
    chances = _chances(aligner, examples, [found for _, found in both])
    sure = aligner.confidence([pair.sequences for pair in examples]).tolist()
    confidences, right, cases = [], [], []
    for k, (pair, rows, (wanted, found), own) in enumerate(zip(examples, predicted, both, chances, strict=True)):
        # With references that are known in part, only columns of known letters can be right or wrong.
        known = {i for i, _ in wanted}
        judged = [column for column in sorted(found) if column[0] in known]
        confidences += [own[column] for column in judged]
        right += [column in wanted for column in judged]
        cost = sum(own[column] for column in judged if column not in wanted)
        if wanted - found:
            cases.append(_case(k, pair, rows, wanted, found, cost, sure[k]))
    calibrations = [
        calibration_of(confidences, right, "columns"),
        calibration_of(sure, [wanted <= found for wanted, found in both], "whole alignments"),
    ]
    pictures = _pictures(aligner)
    return {
        "data": [
            *length_facts("letters", [sum(map(len, pair.sequences)) for pair in examples]),
            ("identity", f"{100 * _identity(examples):.0f} % of columns without a gap"),
        ],
        "confusion": _confusion(both, examples),
        "calibrations": [each for each in calibrations if each is not None],
        "cases": worst(cases),
        "cases_note": "Ordered by the sum of the probabilities that the model gave to its wrong columns. "
        "Reference columns that were not found, and predicted ones that the reference has not, are marked.",
        "features": _features(aligner),
        "pictures": pictures,
        "missing": {} if pictures else {"structure": "A model of matches or of neighbours has no substitution matrix."},
    }


def _chances(aligner: Any, examples: list[AlignedPair], found: list[Columns]) -> list[dict[tuple[int, int], float]]:
    """Probability of each predicted column."""
    chances: list[dict[tuple[int, int], float]] = []
    for begin in range(0, len(examples), CHUNK):
        part = slice(begin, begin + CHUNK)
        marginals = aligner.predict_marginals([pair.sequences for pair in examples[part]])
        for own, columns in zip(marginals, found[part], strict=True):
            chances.append({column: min(float(own[column]), 1.0) for column in columns})
    return chances


def _features(aligner: Any) -> list[FeatureGroup]:
    names, weights = aligner.feature_names_, aligner.weights_.tolist()
    named = [
        (" ".join(map(str, n)) if isinstance(n, tuple) else str(n), w) for n, w in zip(names, weights, strict=True)
    ]
    gaps = [(name, weight) for name, weight in named if "gap" in name]
    pairs = [(name, weight) for name, weight in named if "gap" not in name]
    groups = [
        strongest("Letters that go together", pairs, 12, 0),
        strongest("Letters that do not", pairs, 0, 12),
        FeatureGroup("Gaps", gaps),
    ]
    return [group for group in groups if group.items]


def _pictures(aligner: Any) -> list[Picture]:
    if aligner.structure_.alphabet is None or aligner.context:
        return []
    matrix = aligner.substitution_matrix_
    names = [str(symbol) for symbol in matrix.alphabet]
    caption = (
        "Score of each pair of letters: blue pairs go together, orange ones do not. A gap costs "
        f"{decimal(matrix.gap_open)} for its first letter and {decimal(matrix.gap_extend)} for each further one"
    )
    caption += "." if aligner.mode_ == "global" else ", unless it stands at an end."
    values = np.asarray(matrix.values, dtype=np.float64)
    numbers = {
        "alphabet": names, "scores": values.tolist(), "gap_open": matrix.gap_open, "gap_extend": matrix.gap_extend,
    }  # fmt: skip
    figure = heat_map(values, names, names, "substitution matrix")
    return [Picture("Substitution matrix", caption, figure, numbers, wide=True)]


def _identity(examples: list[AlignedPair]) -> float:
    same = paired = 0
    for pair in examples:
        for a, b in zip(*pair.rows, strict=True):
            if a != "-" and b != "-":
                paired += 1
                same += a.upper() == b.upper()
    return same / (paired or 1)


def _confusion(both: list[tuple[Columns, Columns]], examples: list[AlignedPair]) -> Confusion:
    """What became of each letter of the first sequence."""
    counts = Counter[tuple[str, str]]()
    for pair, (wanted, found) in zip(examples, both, strict=True):
        partner, guess = dict(scored_columns(pair.rows)), dict(found)
        known = dict(wanted)
        for i in range(len(pair.sequences[0])):
            if i in partner and i not in known:
                continue  # the reference does not know
            gold = "paired" if i in partner else "gap"
            got = "gap" if i not in guess else "its partner" if guess[i] == partner.get(i) else "another letter"
            counts[gold, got] += 1
    rows, columns = ["paired", "gap"], ["its partner", "another letter", "gap"]
    table = [[counts[a, b] for b in columns] for a in rows]
    wrong = [
        (a, b, n) for (a, b), n in counts.most_common() if (a, b) not in {("paired", "its partner"), ("gap", "gap")}
    ]
    return Confusion("letters of the first sequence", rows, columns, table, [(0, 0), (1, 2)], 2, 0, wrong)


def _case(
    k: int, pair: AlignedPair, rows: tuple[str, str], wanted: Columns, found: Columns, cost: float, sure: float
) -> Case:
    names = " and ".join(name for name in pair.names if name)
    title = names or f"pair {k + 1}"
    verdict = f"{len(wanted - found):,} of {len(wanted):,} reference columns not found"
    letters = tuple(name[:12] or str(n) for n, name in enumerate(pair.names, start=1))
    known = {i for i, _ in wanted}
    blocks = [
        Block("reference", letters, _marked(pair.rows, wanted - found)),
        Block("predicted", letters, _marked(rows, {each for each in found - wanted if each[0] in known})),
    ]
    return Case(title, verdict, sure, cost, blocks)


def _marked(rows: tuple[str, str], wrong: Columns) -> list[tuple[tuple[str, ...], str]]:
    columns: list[tuple[tuple[str, ...], str]] = []
    i = j = 0
    for a, b in zip(*rows, strict=True):
        paired = a != "-" and b != "-"
        columns.append(((a, b), "wrong" if paired and (i, j) in wrong else ""))
        i += a != "-"
        j += b != "-"
    return columns
