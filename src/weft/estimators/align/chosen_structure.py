"""Which alignments the settings of an `Aligner` mean, for the symbols of its data."""

from __future__ import annotations

from typing import Any

from weft.errors import InputError
from weft.estimators.align.prior import PROTEIN_PRIOR, USUAL_LETTERS, as_matrix, is_protein
from weft.structures.alignment.context import ContextAlignment
from weft.structures.alignment.ends import MODES, EndsAlignment
from weft.structures.alignment.structure import Alignment
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

HYDROPATHY = ("CFILMVWY", "AGHPST", "DEKNQR")
"""Amino acids that avoid water, those between, and those that seek it; X and others are of no class."""


def alphabet_of(aligner: Any, pairs: list[tuple[Any, Any]]) -> Any:
    """Symbols that have weights: those given, or those of the pairs; of proteins also what a matrix knows."""
    if aligner.alphabet is not None or aligner.model != "substitution":
        return aligner.alphabet
    symbols = {symbol for pair in pairs for sequence in pair for symbol in sequence}
    alphabet = sorted(symbols - {"-"}, key=lambda symbol: (type(symbol).__name__, symbol))
    if not alphabet or not _is_pulled(aligner, Alignment(alphabet=alphabet)):
        return alphabet
    matrix = as_matrix(PROTEIN_PRIOR if aligner.prior == "auto" else aligner.prior)
    return sorted({*alphabet, *matrix.alphabet} & {*alphabet, *USUAL_LETTERS}, key=str)


def structure_over(aligner: Any, alphabet: Any, mode: str | None = None) -> Alignment:
    """Alignments of sequences over an alphabet, with or without neighbours; `mode` if it is known."""
    plain = Alignment(aligner.model, alphabet, aligner.gaps)
    context: Any = aligner.context
    mode = _mode_over(aligner, plain) if mode is None else mode
    has_context = isinstance(context, bool) or context != 0
    if not has_context and aligner.classes is not None:
        raise InputError("classes are those of neighbours, and context is 0; give context=6, say.")
    if not has_context and mode == "global":
        return plain
    if plain.alphabet is None or aligner.model != "substitution":
        which = "context" if has_context else f"mode={mode!r}"
        raise InputError(f"{which} needs weights of symbols; use model='substitution', or leave it out.")
    classes: Any = aligner.classes
    if classes is None:
        classes = HYDROPATHY if is_protein(plain) else plain.alphabet
    classes = classes if has_context else ()
    if mode == "global":
        return ContextAlignment(plain.alphabet, aligner.gaps, context, classes)
    return EndsAlignment(plain.alphabet, aligner.gaps, context, classes, mode)


def mode_of(structure: Alignment) -> str:
    """The mode that a structure has.

    Examples
    --------
    >>> mode_of(Alignment(alphabet="ACGT")), mode_of(EndsAlignment("ACGT", mode="local"))
    ('global', 'local')
    """
    return structure.mode if isinstance(structure, EndsAlignment) else "global"


def _mode_over(aligner: Any, plain: Alignment) -> str:
    """What ``mode`` means for an alphabet."""
    if aligner.mode not in ("auto", *MODES):
        raise InputError(f"mode is {aligner.mode!r}; use one of 'auto', {', '.join(map(repr, MODES))}.")
    if aligner.mode != "auto":
        return str(aligner.mode)
    return "end-gaps" if _is_pulled(aligner, plain) else "global"


def _is_pulled(aligner: Any, plain: Alignment) -> bool:
    """Whether weights of proteins are pulled towards a substitution matrix."""
    has_prior = aligner.learner is None or getattr(aligner.learner, "prior", aligner) is None
    return has_prior and isinstance(aligner.prior, str | SubstitutionMatrix) and is_protein(plain)
