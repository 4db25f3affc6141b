"""Labellings of token sequences as data made them: attributes, labels, which features have weights; and in files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import pack_named, unpack_named
from weft.errors import ModelFileError
from weft.sequences.alphabet import Alphabet
from weft.sequences.corpus import Corpus
from weft.sequences.encoder import Kind, TokenEncoder
from weft.sequences.hashed_alphabet import MOST_COLUMNS, HashedAlphabet
from weft.sequences.token_forms import Form
from weft.state_rules import HISTORY, check_state, choice, optional, whole
from weft.structures.chain.arrays import chain_from_arrays, chain_to_arrays, check_chain_arrays, check_chain_weights
from weft.structures.chain.features import ChainFeatures


@dataclass(frozen=True, eq=False)
class Tagging:
    """Labellings of token sequences as data made them: attributes, labels, and which features have weights."""

    encoder: TokenEncoder
    classes: NDArray[np.object_]
    chain: Any
    encoded: tuple[Any, Corpus | None] = (None, None)
    """Sequences that were encoded while the features were chosen, and their corpus."""

    @cached_property
    def names(self) -> list[Any]:
        """The labels as a list."""
        return list(self.classes)

    @property
    def feature_names(self) -> list[tuple[Any, ...]]:
        """(attribute, label), or the labels of a transition."""
        return list(self.chain.names(self.encoder.feature_names, self.classes))


def tagging_to_arrays(structure: Tagging) -> dict[str, NDArray[Any]]:
    """Arrays from which `tagging_from_arrays` makes the same; no names of attributes that are hashed."""
    names, chain = pack_named("classes", structure.names), structure.chain
    if structure.encoder.is_hashed:
        return chain_to_arrays(chain, only_used=True) | names
    names |= pack_named("attributes", structure.encoder.feature_names)
    return (chain_to_arrays if isinstance(chain, ChainFeatures) else _hankel_arrays().hankel_to_arrays)(chain) | names


def tagging_from_arrays(
    arrays: dict[str, NDArray[Any]], kind: Any, n_features: int | None, form: Form | None
) -> Tagging:
    """What `tagging_to_arrays` made arrays of; nothing is checked."""
    names = unpack_named("classes", arrays)
    classes = np.empty(len(names), dtype=object)
    classes[:] = names
    if n_features is not None:
        encoder = TokenEncoder(kind, HashedAlphabet(n_features))
        encoder.form = form
        return Tagging(encoder, classes, chain_from_arrays(arrays, n_features))
    encoder = TokenEncoder(kind, Alphabet(unpack_named("attributes", arrays)))
    encoder.form = form
    has_windows = any(name.startswith("hankel.") for name in arrays)
    chain: Any = _hankel_arrays().hankel_from_arrays(arrays) if has_windows else chain_from_arrays(arrays)
    return Tagging(encoder, classes, chain)


def tagging_from_state(state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Tagging:
    """Labellings as a model file has them, after all checks."""
    rules = {
        "kind": choice(*get_args(Kind)),
        "tokens": optional(choice(*get_args(Form))),
        "n_features": optional(whole(1, MOST_COLUMNS)),
        "history": HISTORY,
    }
    check_state("a tagger", state, rules)
    n_features = state.get("n_features")
    if any(name.startswith("hankel.") for name in arrays):
        _hankel_arrays().check_hankel_arrays(arrays)
    else:
        check_chain_arrays(arrays, n_columns=n_features)
    found = tagging_from_arrays(arrays, state["kind"], n_features, state.get("tokens"))
    n_names = len(arrays["attributes.kinds"]) if n_features is None else n_features
    if len(found.encoder.alphabet) != n_names or len(set(found.names)) != len(found.names):
        raise ModelFileError("a tagger has the same label or the same attribute twice")
    if isinstance(found.chain, ChainFeatures):
        check_chain_weights(found.chain, arrays["weights"])
    else:
        _hankel_arrays().check_hankel_weights(found.chain, arrays["weights"])
    return found


def _hankel_arrays() -> Any:
    """What a spectral learner adds to files; imported for those alone."""
    from weft.structures.hankel import arrays

    return arrays
