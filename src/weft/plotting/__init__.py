"""Pictures in the manner of scikit-learn's displays; they need matplotlib: ``pip install 'weft[plot]'``."""

from weft.plotting.alignment import AlignmentDisplay
from weft.plotting.base_pairs import BasePairDisplay
from weft.plotting.de_bruijn import DeBruijnDisplay
from weft.plotting.rna_structure import RNAStructureDisplay
from weft.plotting.substitution_matrix import SubstitutionMatrixDisplay
from weft.spelling import suggest_names

__all__ = [
    "AlignmentDisplay",
    "BasePairDisplay",
    "DeBruijnDisplay",
    "RNAStructureDisplay",
    "SubstitutionMatrixDisplay",
]

suggest_names(__name__)
