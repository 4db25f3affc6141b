"""Output spaces: what a derivation means for a tagging, an alignment or a parse."""

from weft.structures.alignment import Alignment
from weft.structures.chain import Chain
from weft.structures.constraints import forbidden_labels
from weft.structures.grammar import Grammar
from weft.structures.graph_batch import GraphBatch
from weft.structures.loop_model import LoopModel
from weft.structures.moments import LossMoments, StructureMoments
from weft.structures.substitution_matrix import SubstitutionMatrix

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
