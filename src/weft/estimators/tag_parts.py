"""How examples in parts become batches of a tagger: parts are encoded once, with numbers of their own.

A part numbers attributes and labels as they come. When all parts are known, these numbers become those of the model:
attributes in the order of their first appearance, as a fit in memory numbers them, so that the model is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


class Vocabulary:
    """Attributes and labels of all parts, and which occur together: surveys are taken in one by one and not kept.

    Parameters
    ----------
    order : int
        Length of the longest runs of labels.
    """

    def __init__(self, order: int) -> None:
        self._numbers: dict[Any, int] = {}
        self._labels: dict[Any, int] = {}
        self._first: tuple[str, list[Any], str] | None = None
        self._columns: list[Ids] = []
        self._label_numbers: list[Ids] = []
        self._counts = np.zeros(0, dtype=np.int64)
        self._pairs: list[Integers] = []
        self._n_distinct = 0
        self._grams: list[list[Integers]] = [[] for _ in range(order)]

    def add(self, survey: TagSurvey) -> None:
        """Take in what a part has."""
        if self._first is None:
            self._first = (survey.kind, survey.attributes, survey.name)
        kind, attributes, name = self._first
        if survey.kind != kind or (kind == "vectors" and survey.attributes != attributes):
            came = f"{survey.kind} with {len(survey.attributes)} columns" if survey.kind == "vectors" else survey.kind
            raise InputError(f"{survey.name} holds {came} but {name} holds {kind}; give every part the same form.")
        columns, labels = _numbered(self._numbers, survey.attributes), _numbered(self._labels, survey.labels)
        self._columns.append(columns)
        self._label_numbers.append(labels)
        self._counts = np.pad(self._counts, (0, len(self._numbers) - len(self._counts)))
        self._counts[columns] += survey.counts
        # A pair as one number; what comes again is dropped when half may be that.
        self._pairs.append(columns[survey.pairs[0]].astype(np.int64) << 32 | labels[survey.pairs[1]])
        if sum(map(len, self._pairs)) > 2 * self._n_distinct:
            self._pairs = [np.unique(np.concatenate(self._pairs))]
            self._n_distinct = len(self._pairs[0])
        for length, windows in enumerate(survey.grams):
            self._grams[length].append(np.unique(labels[windows].astype(np.int64), axis=0))

    def structure(self, tagger: Any) -> tuple[Any, list[Any]]:
        """What a tagger learns on, and for each part the columns of its attributes and the numbers of its labels."""
        names, places = self._kept(tagger.min_count)
        classes = label_classes([list(self._labels)])
        final = Alphabet(classes).encode(list(self._labels))  # labels are sorted, attributes are as they came
        kind = "symbols" if self._first is None else self._first[0]
        encoder = TokenEncoder(kind, Alphabet(names))  # type: ignore[arg-type]
        mask = np.zeros((len(names), len(classes)), dtype=bool)
        for pairs in self._pairs:
            rows = places[pairs >> 32]
            mask[rows[rows != UNKNOWN], final[pairs & 0xFFFFFFFF][rows != UNKNOWN]] = True
        observed = [np.unique(final[np.concatenate(own)].astype(np.int64), axis=0) for own in self._grams]
        chain = tagger._chosen_features(encoder, classes, mask, observed)
        numbers = [(places[own], final[labels]) for own, labels in zip(self._columns, self._label_numbers, strict=True)]
        return tagger._tagging(encoder, classes, chain), numbers

    def _kept(self, min_count: int) -> tuple[list[Any], Ids]:
        """Names of the attributes that occur often enough, and where each one stands among them."""
        frequent = self._counts >= min_count if min_count > 1 else np.ones(len(self._numbers), dtype=bool)
        places = np.where(frequent, np.cumsum(frequent) - 1, UNKNOWN).astype(np.int32)
        return [name for name, is_kept in zip(self._numbers, frequent.tolist(), strict=True) if is_kept], places


def _numbered(numbers: dict[Any, int], names: list[Any]) -> Ids:
    """Numbers of names, new ones for those that are new."""
    found = (numbers.setdefault(name, len(numbers)) for name in names)
    return np.fromiter(found, dtype=np.int32, count=len(names))


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

    def agree(self, surveys: Iterable[TagSurvey]) -> tuple[Any, list[Any]]:
        """The structure, and for each part the columns of its attributes and the numbers of its labels."""
        known = Vocabulary(self.estimator.chain_order)
        for survey in surveys:
            known.add(survey)
        return known.structure(self.estimator)

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

    def bind(self, structure: Any, pieces: Sequence[Piece], shards: list[list[slice]]) -> ChainBatch:
        """The batch of some sequences, cut into these shards."""
        return self.bound(structure, self.arrays(pieces), shards)

    def bound(self, structure: Any, arrays: Arrays, shards: list[list[slice]]) -> ChainBatch:
        """The batch of what `arrays` made."""
        n_columns = len(structure.chain.pair_offsets) - 1
        tokens = SparseTokens(arrays["token_offsets"], arrays["ids"], arrays["values"], n_columns)
        corpus = Corpus(arrays["offsets"], tokens, structure.encoder.key)
        batch = ChainBatch(structure.chain, corpus, arrays["labels"], None, 1)
        batch.set_shards(shards)
        return batch
