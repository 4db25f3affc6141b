"""A fitted chain as named arrays, and back: what a model file holds of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError
from weft.state_rules import ArrayRule, check_arrays, flags, floats, integers, offsets, packed_symbols
from weft.structures.chain.features import ChainFeatures, ForbiddenLabels
from weft.structures.chain.label_grams import LabelGrams
from weft.structures.hankel.bi_symbols import BiSymbols
from weft.structures.hankel.chain import HankelChain

__all__ = ["chain_from_arrays", "chain_to_arrays", "check_chain_arrays", "check_chain_weights"]

MASKS = ("steps", "start", "end")
BI_SYMBOLS = ("symbol_of_column", "begins", "labels")

MOST_ORDER = 32
"""No chain remembers so many labels: its tables would not fit any memory."""


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


def check_chain_arrays(arrays: dict[str, NDArray[Any]]) -> None:
    """Raise unless arrays are those of a chain with its weights, `classes` (labels) and `attributes` (columns)."""
    rules: dict[str, ArrayRule] = {
        **packed_symbols("classes", "n_labels"),
        **packed_symbols("attributes", "n_columns"),
        "weights": floats("n_weights"),
        "shape": integers(3),
        "pair_labels": integers("n_pairs", below="n_labels", dtype="int32"),
        "pair_offsets": offsets("n_columns+1", "n_pairs"),
    }
    _, order, _ = _whole_numbers(arrays, "shape", 3)
    if not 1 <= order <= MOST_ORDER:
        raise ModelFileError(f"a chain has order {order}; wanted 1 to {MOST_ORDER}")
    for length in range(2, order + 2):
        rules[f"grams.{length}"] = integers(f"n_grams_{length}", length, below="n_labels")
    if any(name.startswith("forbidden.") for name in arrays):
        rules |= {
            "forbidden.steps": flags("n_labels", "n_labels"),
            "forbidden.start": flags("n_labels"),
            "forbidden.end": flags("n_labels"),
        }
    if any(name.startswith("hankel.") for name in arrays):
        rules |= HANKEL
    sizes = check_arrays("a chain", arrays, rules)
    if arrays["shape"][0] != sizes["n_labels"] or arrays["shape"][2] > 1 or not sizes["n_labels"]:
        raise ModelFileError(f"a chain of shape {arrays['shape'].tolist()} has {sizes['n_labels']} labels")
    rows = np.repeat(np.arange(sizes["n_columns"]), np.diff(arrays["pair_offsets"]))
    labels = arrays["pair_labels"]
    if bool(((rows[1:] == rows[:-1]) & (labels[1:] <= labels[:-1])).any()):
        raise ModelFileError("array 'pair_labels' of a chain does not rise within an attribute")
    if "hankel.labels" in arrays:
        _check_bi_symbols(arrays, sizes)


HANKEL = {
    "hankel.shape": integers(4),
    "hankel.labels": integers("n_bi_labels", low=-1, below="n_labels", dtype="int32"),
    "hankel.begins": ArrayRule(("int64",), ("n_bi_symbols+1",)),
    "hankel.symbol_of_column": integers("n_columns", low=-1, below="n_bi_symbols", dtype="int32"),
    "hankel.row_numbers": integers("n_rows", order="distinct"),
}
"""What a spectral learner adds; `_check_bi_symbols` has the rest."""


def _check_bi_symbols(arrays: dict[str, NDArray[Any]], sizes: dict[str, int]) -> None:
    labels, shape = arrays["hankel.labels"], arrays["hankel.shape"].tolist()
    n_pairs = sizes["n_bi_labels"] - 1 - sizes["n_labels"]
    if not 1 <= shape[0] <= MOST_ORDER or max(shape[1:]) > 1 or sizes["n_pairs"] + n_pairs < 0:
        raise ModelFileError(f"the Hankel matrix of a chain has shape {shape}")
    own = {"hankel.begins": arrays["hankel.begins"]}
    check_arrays("a chain", own, {"hankel.begins": offsets("n_bi_symbols+1", n_pairs, empty=False)})
    boundary = np.arange(len(labels)) == n_pairs  # stands between the pairs and the labels for symbols never seen
    if bool(((labels < 0) != boundary).any()):
        raise ModelFileError("array 'hankel.labels' of a chain has no label for a pair, or one for the boundary")


def _whole_numbers(arrays: dict[str, NDArray[Any]], name: str, n: int) -> list[int]:
    check_arrays("a chain", {name: arrays[name]} if name in arrays else {}, {name: integers(n)})
    return [int(number) for number in arrays[name]]


def chain_from_arrays(arrays: dict[str, NDArray[Any]]) -> ChainFeatures | HankelChain:
    """Chain of the arrays of `chain_to_arrays`."""
    base = _features_from_arrays(arrays)
    if "hankel.shape" not in arrays:
        return base
    pairs = BiSymbols(*(arrays[f"hankel.{name}"] for name in BI_SYMBOLS))
    order, shorter, boundary, constrained = arrays["hankel.shape"].tolist()
    chosen = bool(shorter), bool(boundary), bool(constrained)
    row_numbers = arrays["hankel.row_numbers"]
    chain = HankelChain(base, pairs, order, *chosen, row_numbers)
    n_rows = sum(chain.base_size ** (length - 1) for length in chain.gram_lengths)
    check_arrays("a chain", {"row_numbers": row_numbers}, {"row_numbers": integers("n_rows", below=n_rows)})
    return chain


def _features_from_arrays(arrays: dict[str, NDArray[Any]]) -> ChainFeatures:
    n_labels, order, boundary = (int(number) for number in arrays["shape"])
    grams = LabelGrams.build(n_labels, order, [arrays[f"grams.{length}"] for length in range(2, order + 2)])
    forbidden = None
    if "forbidden.steps" in arrays:
        forbidden = ForbiddenLabels(*(arrays[f"forbidden.{name}"] for name in MASKS))
    return ChainFeatures(arrays["pair_offsets"], arrays["pair_labels"], grams, bool(boundary), forbidden)


def check_chain_weights(chain: ChainFeatures | HankelChain, weights: NDArray[Any]) -> None:
    """Raise unless a weight vector has the length that the chain wants."""
    n_weights, n_more = len(weights), 0
    if isinstance(chain, HankelChain) and chain.factored:
        n_more = (n_weights - chain.n_features) % (chain.n_rows + chain.n_columns)
    elif n_weights != chain.n_features:
        n_more = 1
    if n_more or n_weights < chain.n_features:
        raise ModelFileError(f"a chain has {n_weights} weights; wanted {chain.n_features}")
