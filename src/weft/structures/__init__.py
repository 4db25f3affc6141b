"""Output spaces: what a derivation means for a tagging, an alignment or a parse."""

from weft.structures.alignment.structure import Alignment
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix
from weft.structures.chain.constraints import forbidden_labels
from weft.structures.chain.structure import Chain
from weft.structures.grammar.structure import Grammar
from weft.structures.graph_batch import GraphBatch
from weft.structures.rna.model import LoopModel
from weft.structures.structure_moments import LossMoments, StructureMoments

__all__ = [
    "Alignment",
    "Chain",
    "Grammar",
    "GraphBatch",
    "LoopModel",
    "LossMoments",
    "StructureMoments",
    "SubstitutionMatrix",
    "forbidden_labels",
]
