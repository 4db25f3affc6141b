"""A Hankel chain as named arrays, and back: what a model file holds of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError
from weft.state_rules import ArrayRule, check_arrays, integers, offsets
from weft.structures.chain.arrays import MOST_ORDER, chain_from_arrays, chain_to_arrays, check_chain_arrays
from weft.structures.hankel.bi_symbols import BiSymbols
from weft.structures.hankel.chain import HankelChain

BI_SYMBOLS = ("symbol_of_column", "begins", "labels")


def hankel_to_arrays(chain: HankelChain) -> dict[str, NDArray[Any]]:
    """Arrays from which `hankel_from_arrays` builds the same chain."""
    shape = [chain.order, chain.shorter_grams, chain.boundary, chain.constrained]
    return {
        **chain_to_arrays(chain.base),
        **{f"hankel.{name}": getattr(chain.pairs, name) for name in BI_SYMBOLS},
        "hankel.shape": np.array(shape, dtype=np.int64),
        "hankel.row_numbers": chain.row_numbers,
    }


HANKEL = {
    "hankel.shape": integers(4),
    "hankel.labels": integers("n_bi_labels", low=-1, below="n_labels", dtype="int32"),
    "hankel.begins": ArrayRule(("int64",), ("n_bi_symbols+1",)),
    "hankel.symbol_of_column": integers("n_columns", low=-1, below="n_bi_symbols", dtype="int32"),
    "hankel.row_numbers": integers("n_rows", order="distinct"),
}
"""What a spectral learner adds; `check_hankel_arrays` has the rest."""


def check_hankel_arrays(arrays: dict[str, NDArray[Any]]) -> None:
    """Raise unless arrays are those of a Hankel chain with its weights, labels and attributes."""
    sizes = check_chain_arrays(arrays, HANKEL)
    labels, shape = arrays["hankel.labels"], arrays["hankel.shape"].tolist()
    n_pairs = sizes["n_bi_labels"] - 1 - sizes["n_labels"]
    if not 1 <= shape[0] <= MOST_ORDER or max(shape[1:]) > 1 or sizes["n_pairs"] + n_pairs < 0:
        raise ModelFileError(f"the Hankel matrix of a chain has shape {shape}")
    own = {"hankel.begins": arrays["hankel.begins"]}
    check_arrays("a chain", own, {"hankel.begins": offsets("n_bi_symbols+1", n_pairs, empty=False)})
    boundary = np.arange(len(labels)) == n_pairs  # stands between the pairs and the labels for symbols never seen
    if bool(((labels < 0) != boundary).any()):
        raise ModelFileError("array 'hankel.labels' of a chain has no label for a pair, or one for the boundary")


def hankel_from_arrays(arrays: dict[str, NDArray[Any]]) -> HankelChain:
    """Chain of the arrays of `hankel_to_arrays`."""
    pairs = BiSymbols(*(arrays[f"hankel.{name}"] for name in BI_SYMBOLS))
    order, shorter, boundary, constrained = arrays["hankel.shape"].tolist()
    chosen = bool(shorter), bool(boundary), bool(constrained)
    row_numbers = arrays["hankel.row_numbers"]
    chain = HankelChain(chain_from_arrays(arrays), pairs, order, *chosen, row_numbers)
    n_rows = sum(chain.base_size ** (length - 1) for length in chain.gram_lengths)
    check_arrays("a chain", {"row_numbers": row_numbers}, {"row_numbers": integers("n_rows", below=n_rows)})
    return chain


def check_hankel_weights(chain: HankelChain, weights: NDArray[Any]) -> None:
    """Raise unless a weight vector has the length that the chain wants; with factors, of some rank."""
    n_more = len(weights) - chain.n_features
    if n_more < 0 or (n_more % (chain.n_rows + chain.n_columns) if chain.factored else n_more):
        raise ModelFileError(f"a chain has {len(weights)} weights; needed {chain.n_features}")
