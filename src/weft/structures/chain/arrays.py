"""The features of a chain as named arrays, and back: what a model file holds of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError
from weft.state_rules import ArrayRule, check_arrays, flags, floats, integers, offsets, packed_symbols
from weft.structures.chain.features import ChainFeatures, ForbiddenLabels
from weft.structures.chain.label_grams import LabelGrams

MASKS = ("steps", "start", "end")

MOST_ORDER = 32
"""No chain remembers so many labels: its tables would not fit any memory."""


def chain_to_arrays(chain: ChainFeatures, only_used: bool = False) -> dict[str, NDArray[Any]]:
    """Arrays from which `chain_from_arrays` builds the same chain.

    With `only_used`, columns without a pair are not written, and the others with their numbers: for columns that are
    hashes, most of which may be empty.
    """
    arrays: dict[str, NDArray[Any]] = {
        "pair_offsets": chain.pair_offsets,
        "pair_labels": chain.pair_labels,
        "shape": np.array([chain.n_labels, chain.grams.order, chain.boundary], dtype=np.int64),
    }
    if only_used:
        used = np.flatnonzero(np.diff(chain.pair_offsets))
        arrays["columns"] = used
        arrays["pair_offsets"] = np.concatenate([chain.pair_offsets[used], [chain.n_pairs]])
    for length in range(2, chain.grams.order + 2):
        rows = [gram for gram in chain.grams.grams if len(gram) == length]
        arrays[f"grams.{length}"] = np.array(rows, dtype=np.int64).reshape(-1, length)
    if chain.forbidden is not None:
        arrays.update({f"forbidden.{name}": getattr(chain.forbidden, name) for name in MASKS})
    return arrays


def check_chain_arrays(
    arrays: dict[str, NDArray[Any]], more: Mapping[str, ArrayRule] | None = None, n_columns: int | None = None
) -> dict[str, int]:
    """Raise unless arrays are those of a chain with its weights, `classes` (labels) and `attributes` (columns).

    Parameters
    ----------
    arrays : dict of str to ndarray
    more : dict of str to ArrayRule, optional
        Rules of what else there must be.
    n_columns : int, optional
        That these are the arrays of so many columns of which only those with a pair are written.

    Returns
    -------
    dict of str to int
        The sizes that the rules name.
    """
    rules: dict[str, ArrayRule] = {
        **packed_symbols("classes", "n_labels"),
        **(packed_symbols("attributes", "n_columns") if n_columns is None else {}),
        **({} if n_columns is None else {"columns": integers("n_columns", below=n_columns, order="distinct")}),
        "weights": floats("n_weights"),
        "shape": integers(3),
        "pair_labels": integers("n_pairs", below="n_labels", dtype="int32"),
        "pair_offsets": offsets("n_columns+1", "n_pairs", empty=n_columns is None),
        **(more or {}),
    }
    _, order, _ = _whole_numbers(arrays, "shape", 3)
    if not 1 <= order <= MOST_ORDER:
        raise ModelFileError(f"a chain has order {order}; needed 1 to {MOST_ORDER}")
    for length in range(2, order + 2):
        rules[f"grams.{length}"] = integers(f"n_grams_{length}", length, below="n_labels")
    if any(name.startswith("forbidden.") for name in arrays):
        rules |= {
            "forbidden.steps": flags("n_labels", "n_labels"),
            "forbidden.start": flags("n_labels"),
            "forbidden.end": flags("n_labels"),
        }
    sizes = check_arrays("a chain", arrays, rules)
    if arrays["shape"][0] != sizes["n_labels"] or arrays["shape"][2] > 1 or not sizes["n_labels"]:
        raise ModelFileError(f"a chain of shape {arrays['shape'].tolist()} has {sizes['n_labels']} labels")
    rows = np.repeat(np.arange(sizes["n_columns"]), np.diff(arrays["pair_offsets"]))
    labels = arrays["pair_labels"]
    if bool(((rows[1:] == rows[:-1]) & (labels[1:] <= labels[:-1])).any()):
        raise ModelFileError("array 'pair_labels' of a chain does not rise within an attribute")
    return sizes


def _whole_numbers(arrays: dict[str, NDArray[Any]], name: str, n: int) -> list[int]:
    check_arrays("a chain", {name: arrays[name]} if name in arrays else {}, {name: integers(n)})
    return [int(number) for number in arrays[name]]


def chain_from_arrays(arrays: dict[str, NDArray[Any]], n_columns: int | None = None) -> ChainFeatures:
    """Chain of the arrays of `chain_to_arrays`; with `n_columns`, of those that have pairs."""
    n_labels, order, boundary = (int(number) for number in arrays["shape"])
    grams = LabelGrams.build(n_labels, order, [arrays[f"grams.{length}"] for length in range(2, order + 2)])
    forbidden = None
    if "forbidden.steps" in arrays:
        forbidden = ForbiddenLabels(*(arrays[f"forbidden.{name}"] for name in MASKS))
    pair_offsets = arrays["pair_offsets"]
    if n_columns is not None:
        sizes = np.zeros(n_columns + 1, dtype=np.int64)
        sizes[arrays["columns"] + 1] = np.diff(pair_offsets)
        pair_offsets = np.cumsum(sizes)
    return ChainFeatures(pair_offsets, arrays["pair_labels"], grams, bool(boundary), forbidden)


def check_chain_weights(chain: ChainFeatures, weights: NDArray[Any]) -> None:
    """Raise unless a weight vector has the length that the chain wants."""
    if len(weights) != chain.n_features:
        raise ModelFileError(f"a chain has {len(weights)} weights; needed {chain.n_features}")
