"""A fitted chain as named arrays, and back: what a model file holds of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.structures.bi_symbols import BiSymbols
from weft.structures.chain_features import ChainFeatures, ForbiddenLabels
from weft.structures.hankel_chain import HankelChain
from weft.structures.label_grams import LabelGrams

__all__ = ["chain_from_arrays", "chain_to_arrays"]

MASKS = ("steps", "start", "end")
BI_SYMBOLS = ("symbol_of_column", "begins", "labels")


def chain_to_arrays(chain: ChainFeatures | HankelChain) -> dict[str, NDArray[Any]]:
    """Arrays from which `chain_from_arrays` builds the same chain."""
    if isinstance(chain, HankelChain):
        shape = [chain.order, chain.shorter_grams, chain.boundary, chain.constrained]
        return {
            **chain_to_arrays(chain.base),
            **{f"hankel.{name}": getattr(chain.pairs, name) for name in BI_SYMBOLS},
            "hankel.shape": np.array(shape, dtype=np.int64),
            "hankel.row_numbers": chain.row_numbers,
        }
    arrays: dict[str, NDArray[Any]] = {
        "pair_offsets": chain.pair_offsets,
        "pair_labels": chain.pair_labels,
        "shape": np.array([chain.n_labels, chain.grams.order, chain.boundary], dtype=np.int64),
    }
    for length in range(2, chain.grams.order + 2):
        rows = [gram for gram in chain.grams.grams if len(gram) == length]
        arrays[f"grams.{length}"] = np.array(rows, dtype=np.int64).reshape(-1, length)
    if chain.forbidden is not None:
        arrays.update({f"forbidden.{name}": getattr(chain.forbidden, name) for name in MASKS})
    return arrays


def chain_from_arrays(arrays: dict[str, NDArray[Any]]) -> ChainFeatures | HankelChain:
    """Chain of the arrays of `chain_to_arrays`."""
    base = _features_from_arrays(arrays)
    if "hankel.shape" not in arrays:
        return base
    pairs = BiSymbols(*(arrays[f"hankel.{name}"] for name in BI_SYMBOLS))
    order, shorter, boundary, constrained = arrays["hankel.shape"].tolist()
    flags = bool(shorter), bool(boundary), bool(constrained)
    return HankelChain(base, pairs, order, *flags, arrays["hankel.row_numbers"])


def _features_from_arrays(arrays: dict[str, NDArray[Any]]) -> ChainFeatures:
    n_labels, order, boundary = (int(number) for number in arrays["shape"])
    grams = LabelGrams.build(n_labels, order, [arrays[f"grams.{length}"] for length in range(2, order + 2)])
    forbidden = None
    if "forbidden.steps" in arrays:
        forbidden = ForbiddenLabels(*(arrays[f"forbidden.{name}"] for name in MASKS))
    return ChainFeatures(arrays["pair_offsets"], arrays["pair_labels"], grams, bool(boundary), forbidden)
