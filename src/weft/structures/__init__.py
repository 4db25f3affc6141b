"""Output spaces: what a derivation means for a tagging, an alignment or a parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.spelling import export_names

# Public name -> module that defines it; imported when it is first used, so that no task waits for another one's code.
_EXPORTS = {
    "Alignment": "weft.structures.alignment.structure",
    "Chain": "weft.structures.chain.structure",
    "Grammar": "weft.structures.grammar.structure",
    "GraphBatch": "weft.structures.graph_batch",
    "GraphStructure": "weft.structures.graph_structure",
    "LoopModel": "weft.structures.rna.model",
    "LossMoments": "weft.structures.structure_moments",
    "StructureMoments": "weft.structures.structure_moments",
    "forbidden_labels": "weft.structures.chain.constraints",
}

if TYPE_CHECKING:
    from weft.structures.alignment.structure import Alignment
    from weft.structures.chain.constraints import forbidden_labels
    from weft.structures.chain.structure import Chain
    from weft.structures.grammar.structure import Grammar
    from weft.structures.graph_batch import GraphBatch
    from weft.structures.graph_structure import GraphStructure
    from weft.structures.rna.model import LoopModel
    from weft.structures.structure_moments import LossMoments, StructureMoments

__all__ = [
    "Alignment",
    "Chain",
    "Grammar",
    "GraphBatch",
    "GraphStructure",
    "LoopModel",
    "LossMoments",
    "StructureMoments",
    "forbidden_labels",
]

export_names(__name__, _EXPORTS)
