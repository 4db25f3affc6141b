"""How examples in parts become batches of a tagger: parts are encoded once, with numbers of their own.

A part numbers attributes and labels as they come. When all parts are known, these numbers become those of the model:
attributes in the order of their first appearance, as a fit in memory numbers them, so that the model is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.errors import InputError
from weft.estimators.part_makers import PartMaker, Piece
from weft.sequences.alphabet import UNKNOWN, Alphabet
from weft.sequences.corpus import Corpus, SparseTokens
from weft.sequences.encoder import TokenEncoder
from weft.sequences.labels import encode_labels, label_classes
from weft.structures.chain.batch import ChainBatch, sparse_tokens, sum_size
from weft.structures.chain.label_grams import observed_grams
from weft.structures.chain.loops.tokens import mark_pairs

__all__ = ["TagPartMaker", "TagSurvey"]

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class TagSurvey:
    """What a part has: how its sequences are written, attributes and labels, and which of them occur together."""

    kind: str
    attributes: list[Any]
    counts: Integers
    labels: list[Any]
    pairs: tuple[Integers, Integers]
    grams: list[Integers]
    lengths: Integers
    name: str


class TagPartMaker(PartMaker):
    """Surveys, agrees and binds for a tagger."""

    def survey(self, X: Any, y: Any, name: str) -> tuple[Arrays, TagSurvey]:
        """Arrays of a part in numbers of its own, and what it has."""
        tagger, encoder = self.estimator, TokenEncoder()
        try:
            X, y = tagger._as_examples(X, y, self.learner)
            corpus = tagger._encoded(encoder.encode_training, X)
            classes = label_classes(y)
            labels = encode_labels(X, y, classes)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
        tokens = sparse_tokens(corpus)
        mask = np.zeros((tokens.n_columns, len(classes)), dtype=bool)
        mark_pairs(tokens.offsets, tokens.ids, labels, mask)
        rows, columns = np.nonzero(mask)
        kept = {
            "offsets": corpus.offsets,
            "token_offsets": tokens.offsets,
            "ids": tokens.ids,
            "values": tokens.values,
            "labels": labels,
        }
        survey = TagSurvey(
            encoder.kind or "",
            encoder.feature_names,
            np.bincount(tokens.ids, minlength=tokens.n_columns),
            list(classes),
            (rows.astype(np.int64), columns.astype(np.int64)),
            observed_grams(labels, corpus.offsets, len(classes), tagger.chain_order),
            corpus.lengths,
            name,
        )
        return kept, survey

    def agree(self, surveys: Sequence[TagSurvey]) -> tuple[Any, list[Any]]:
        """The structure, and for each part the columns of its attributes and the numbers of its labels."""
        tagger, first = self.estimator, surveys[0]
        for each in surveys:
            if each.kind != first.kind or (first.kind == "vectors" and each.attributes != first.attributes):
                came = f"{each.kind} with {len(each.attributes)} columns" if each.kind == "vectors" else each.kind
                raise InputError(
                    f"{each.name} holds {came} but {first.name} holds {first.kind}; give every part the same form."
                )
        classes = label_classes([[label for each in surveys for label in each.labels]])
        numbers: dict[Any, int] = {}
        columns: list[Ids] = []
        for each in surveys:
            found = (numbers.setdefault(name, len(numbers)) for name in each.attributes)
            columns.append(np.fromiter(found, dtype=np.int32, count=len(each.attributes)))
        names: list[Any] = list(numbers)
        if tagger.min_count > 1:
            names = self._pruned(names, columns, surveys)
        labels = Alphabet(classes)
        label_numbers = [labels.encode(each.labels) for each in surveys]
        encoder = TokenEncoder(first.kind, Alphabet(names))  # type: ignore[arg-type]
        mask = np.zeros((len(names), len(classes)), dtype=bool)
        grams: list[list[Integers]] = [[] for _ in range(tagger.chain_order)]
        for each, own, renamed in zip(surveys, columns, label_numbers, strict=True):
            rows = own[each.pairs[0]]
            mask[rows[rows != UNKNOWN], renamed[each.pairs[1]][rows != UNKNOWN]] = True
            for length, windows in enumerate(each.grams):
                grams[length].append(renamed[windows].astype(np.int64))
        observed = [np.unique(np.concatenate(own), axis=0) for own in grams]
        chain = tagger._chosen_features(encoder, classes, mask, observed)
        return tagger._tagging(encoder, classes, chain), list(zip(columns, label_numbers, strict=True))

    def _pruned(self, names: list[Any], columns: list[Ids], surveys: Sequence[TagSurvey]) -> list[Any]:
        """Names of the attributes that occur often enough; the columns of the parts follow."""
        counts = np.zeros(len(names), dtype=np.int64)
        for own, each in zip(columns, surveys, strict=True):
            counts[own] += each.counts
        frequent = counts >= self.estimator.min_count
        places = np.where(frequent, np.cumsum(frequent) - 1, UNKNOWN).astype(np.int32)
        for i, own in enumerate(columns):
            columns[i] = places[own]
        return [name for name, is_kept in zip(names, frequent.tolist(), strict=True) if is_kept]

    def costs(self, structure: Any, kept: Arrays, numbers: Any) -> tuple[Floats, int]:
        """Lengths of the sequences, and the numbers of a sum."""
        return np.diff(kept["offsets"]).astype(np.float64), sum_size(structure.chain)

    def arrays(self, pieces: Sequence[Piece]) -> Arrays:
        """Tokens of some sequences in the numbers of the model, and their labels."""
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in ("lengths", "counts", "ids", "values", "labels")}
        weighted = any(len(piece.kept["values"]) for piece in pieces)
        for kept, (columns, labels), begin, end in pieces:
            offsets = kept["offsets"][begin : end + 1]
            token_offsets = kept["token_offsets"][offsets[0] : offsets[-1] + 1]
            here = slice(int(token_offsets[0]), int(token_offsets[-1]))
            ids = columns[kept["ids"][here]]
            known = ids != UNKNOWN
            ends = np.concatenate([[0], np.cumsum(known)])[token_offsets - token_offsets[0]]
            parts["lengths"].append(np.diff(offsets))
            parts["counts"].append(np.diff(ends))
            parts["ids"].append(ids[known])
            if weighted:
                own = kept["values"][here] if len(kept["values"]) else np.ones(len(ids))
                parts["values"].append(own[known])
            parts["labels"].append(labels[kept["labels"][offsets[0] : offsets[-1]]])
        whole = {name: np.concatenate(own) if own else np.empty(0) for name, own in parts.items()}
        return {
            "offsets": np.concatenate([[0], np.cumsum(whole["lengths"])]),
            "token_offsets": np.concatenate([[0], np.cumsum(whole["counts"])]),
            "ids": whole["ids"].astype(np.int32),
            "values": whole["values"].astype(np.float64),
            "labels": whole["labels"].astype(np.int32),
        }

    def bind(self, structure: Any, pieces: Sequence[Piece], chunks: list[slice]) -> ChainBatch:
        """The batch of some sequences, cut into these chunks."""
        return self.bound(structure, self.arrays(pieces), chunks)

    def bound(self, structure: Any, arrays: Arrays, chunks: list[slice]) -> ChainBatch:
        """The batch of what `arrays` made."""
        n_columns = len(structure.chain.pair_offsets) - 1
        tokens = SparseTokens(arrays["token_offsets"], arrays["ids"], arrays["values"], n_columns)
        corpus = Corpus(arrays["offsets"], tokens, structure.encoder.key)
        batch = ChainBatch(structure.chain, corpus, arrays["labels"], None, 1)
        batch.set_shards([chunks])
        return batch
