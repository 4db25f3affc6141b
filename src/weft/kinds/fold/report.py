"""Reports on models that fold RNA."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from weft.kinds.base import Kind
from weft.kinds.fold.files import RNA
from weft.kinds.fold.kind import Pairs, pairs_of
from weft.kinds.parts import f1_of_each, rule_groups
from weft.kinds.reporting import class_scores, length_facts, worst
from weft.reports import Block, Case, Picture
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of
from weft.reports.rna_pictures import dot_plot, rna_drawing

CHUNK = 20
"""Sequences whose probabilities are in memory together."""


def sections(kind: Kind, examples: list[RNA], predicted: list[Any]) -> dict[str, Any]:
    """Pairs by letters, probabilities of pairs, wrong structures, a drawing."""
    folder = kind.estimator
    wanted = [pairs_of(each.structure) for each in examples]
    found = list(map(pairs_of, predicted))
    sure = folder.confidence([each.sequence for each in examples]).tolist()
    confidences: list[float] = []
    right: list[bool] = []
    cases = []
    for k, own in enumerate(_chances(folder, examples, [a | b for a, b in zip(wanted, found, strict=True)])):
        judged = sorted(found[k])
        confidences += [own[pair] for pair in judged]
        right += [pair in wanted[k] for pair in judged]
        if wanted[k] != found[k]:
            cost = sum(own[pair] for pair in found[k] - wanted[k]) + sum(
                1.0 - own[pair] for pair in wanted[k] - found[k]
            )
            cases.append(_case(k, examples[k], predicted[k], wanted[k], found[k], cost, sure[k]))
    states = Counter(
        (STATES[a], STATES[b])
        for each, guess in zip(examples, predicted, strict=True)
        for a, b in zip(_plain(str(each.structure)), guess, strict=True)
    )
    letters = [
        [Counter(_letters(each.sequence, pair) for pair in pairs) for each, pairs in zip(examples, side, strict=True)]
        for side in (wanted, found, [a & b for a, b in zip(wanted, found, strict=True)])
    ]
    calibrations = [
        calibration_of(confidences, right, "base pairs"),
        calibration_of(sure, [a == b for a, b in zip(wanted, found, strict=True)], "whole structures"),
    ]
    return {
        "data": [
            *length_facts("bases", [len(each.sequence) for each in examples]),
            ("base pairs", f"{sum(map(len, wanted)):,}"),
        ],
        "classes": class_scores(*letters)[0],
        "class_name": "kind of pair",
        "confusion": confusion_of(states, "bases"),
        "calibrations": [each for each in calibrations if each is not None],
        "cases": worst(cases),
        "cases_note": "Ordered by the probability that the model gave to its wrong pairs, and withheld from those "
        "it missed. Bases whose partner is wrong are marked.",
        "features": rule_groups(folder),
        "pictures": _pictures(folder, examples, predicted, wanted, found),
    }


def _chances(folder: Any, examples: list[RNA], pairs: list[Pairs]) -> list[dict[tuple[int, int], float]]:
    """Probability of each pair that is asked for."""
    chances: list[dict[tuple[int, int], float]] = []
    for begin in range(0, len(examples), CHUNK):
        part = slice(begin, begin + CHUNK)
        marginals = folder.predict_marginals([each.sequence for each in examples[part]])
        for own, asked in zip(marginals, pairs[part], strict=True):
            chances.append({pair: min(max(float(own[pair]), 0.0), 1.0) for pair in asked})
    return chances


def _pictures(
    folder: Any, examples: list[RNA], predicted: list[Any], wanted: list[Pairs], found: list[Pairs]
) -> list[Picture]:
    """A sequence in the middle of the scores: drawn, and all its pairs."""
    quality = f1_of_each(wanted, found)
    k = int(np.argsort(quality, kind="stable")[(len(quality) - 1) // 2])
    record, structure = examples[k], _plain(str(examples[k].structure))
    name = record.name or f"sequence {k + 1}"
    [probabilities] = folder.predict_marginals([record.sequence])
    which = f"{name}, whose F1 of {100 * quality[k]:.0f} % is the median of all"
    drawn = rna_drawing(record.sequence, predicted[k], structure, f"predicted structure of {which}")
    dots = dot_plot(probabilities, structure, f"probabilities of the base pairs of {which}")
    numbers = {"name": name, "f1": quality[k], "predicted": predicted[k], "reference": structure}
    return [
        Picture(
            "A structure as predicted",
            f"The sequence {which}. Pairs that the reference has are blue, others orange and dashed.",
            drawn,
            numbers,
        ),
        Picture(
            "Probabilities of its base pairs",
            "Above the diagonal what the model thinks, larger squares for likelier pairs; below it the reference.",
            dots,
            {"name": name},
        ),
    ]


STATES = {"(": "( opens", ")": ") closes", ".": ". unpaired"}


def _plain(structure: str) -> str:
    """Brackets of all kinds as round ones, all else as dots."""
    letters = ["."] * len(structure)
    for i, j in pairs_of(structure):
        letters[i], letters[j] = "(", ")"
    return "".join(letters)


def _letters(sequence: str, pair: tuple[int, int]) -> str:
    a, b = sorted(sequence[k].upper().replace("T", "U") for k in pair)
    return {"AU": "A–U", "CG": "G–C", "GU": "G–U"}.get(a + b, "other")


def _case(k: int, record: RNA, guess: str, wanted: Pairs, found: Pairs, cost: float, sure: float) -> Case:
    missed, extra = wanted - found, found - wanted
    touched = {base for pair in missed | extra for base in pair}
    columns: list[tuple[tuple[str, ...], str]] = [
        (symbols, "wrong" if place in touched else "")
        for place, symbols in enumerate(zip(record.sequence, str(record.structure), guess, strict=True))
    ]
    verdict = f"{len(missed):,} of {len(wanted):,} pairs missed, {len(extra):,} of {len(found):,} predicted are wrong"
    block = Block("", ("sequence", "reference", "predicted"), columns)
    return Case(record.name or f"sequence {k + 1}", verdict, sure, cost, [block])
