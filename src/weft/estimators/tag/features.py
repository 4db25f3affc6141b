"""Which attributes and steps of a tagger have weights, from data at once or in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers, Mask
from weft.errors import InputError
from weft.sequences.corpus import Corpus
from weft.sequences.encoder import TokenEncoder
from weft.structures.chain.batch import sparse_tokens
from weft.structures.chain.constraints import check_allowed, forbidden_labels
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.label_grams import LabelGrams

if TYPE_CHECKING:
    from weft.estimators.tag.tagger import Tagger


def choose_features(
    tagger: Tagger,
    corpus: Corpus,
    labels: Ids,
    classes: NDArray[np.object_],
    encoder: TokenEncoder,
    known: ChainFeatures | None = None,
) -> ChainFeatures:
    """Features that encoded sequences and their labels have, beside those that are `known`."""
    pairs = _pairs_of(tagger, encoder)
    forbidden = forbidden_labels(tagger.constraints, list(classes))
    check_allowed(labels, corpus.offsets, forbidden, list(classes))
    return ChainFeatures.collect(
        sparse_tokens(corpus),
        labels,
        corpus.offsets,
        len(classes),
        order=tagger.chain_order,
        pairs=pairs,  # type: ignore[arg-type]
        transitions=tagger.transitions,  # type: ignore[arg-type]
        min_frequency=float(tagger.min_frequency),
        boundary=tagger.boundary,
        forbidden=forbidden,
        known=known,
    )


def features_of_parts(
    tagger: Tagger, encoder: TokenEncoder, classes: NDArray[np.object_], mask: Mask, grams: list[Integers]
) -> ChainFeatures:
    """As `choose_features`, from what all parts of the data have seen together."""
    if tagger.min_frequency > 0.0:
        raise InputError(
            f"min_frequency is {tagger.min_frequency!r}, which is not counted over parts; leave out rare attributes "
            "with min_count, or fit the examples as one list."
        )
    is_all = _pairs_of(tagger, encoder) == "all"
    all_steps = (tagger.transitions or _pairs_of(tagger, encoder)) == "all"
    label_grams = LabelGrams.build(len(classes), tagger.chain_order, None if all_steps else grams)
    forbidden = forbidden_labels(tagger.constraints, list(classes))
    return ChainFeatures.of_pairs(np.ones_like(mask) if is_all else mask, label_grams, tagger.boundary, forbidden)


def _pairs_of(tagger: Tagger, encoder: TokenEncoder) -> str:
    """Which pairs have weights, for sequences of the form that the encoder knows."""
    if tagger.pairs is None:
        if encoder.is_hashed:
            return "observed"
        return "all" if encoder.kind in ("symbols", "vectors") else "observed"
    return tagger.pairs
