"""How examples in parts become batches of a tagger: parts are encoded once, with numbers of their own.

A part numbers attributes and labels as they come. When all parts are known, these numbers become those of the model:
attributes in the order of their first appearance, as a fit in memory numbers them, so that the model is the same. One
process counts hashes of all attributes, and hears the names of those alone that occur often enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.checkpoint import pack_named, unpack_named
from weft.errors import InputError
from weft.estimators.part_makers import PartMaker, Piece
from weft.estimators.tag.features import features_of_parts
from weft.sequences.alphabet import UNKNOWN, Alphabet
from weft.sequences.corpus import Corpus, SparseTokens
from weft.sequences.encoder import TokenEncoder
from weft.sequences.hashed_alphabet import columns_of
from weft.sequences.labels import encode_labels, label_classes
from weft.sequences.name_hashes import name_hashes
from weft.sequences.token_forms import Form, joined_form, token_form
from weft.structures.chain.batch import ChainBatch, sparse_tokens, sum_size
from weft.structures.chain.label_grams import observed_grams
from weft.structures.chain.layouts import SpareSums, TokenLayouts, checked_layout, lay_out
from weft.structures.chain.loops.tokens import mark_pairs

Arrays = dict[str, NDArray[Any]]
Asked = Callable[[Callable[..., Any], list[tuple[Any, ...]]], Iterable[Any]]
"""Gives ``work(kept, *arguments)`` for what was kept of each part, one after the other."""


@dataclass(frozen=True)
class TagSurvey:
    """What a part has: form of tokens and of sequences, hashes of attributes with their counts, labels, runs of them.

    Names of attributes stay with the part: of many parts together they would not fit into memory.
    """

    kind: str
    form: Form | None
    keys: NDArray[np.uint64]
    counts: Integers
    labels: list[Any]
    grams: list[Integers]
    lengths: Integers
    name: str


class Vocabulary:
    """Attributes and labels of all parts: surveys are taken in one by one and not kept.

    Attributes are numbered by their hashes of 64 bits, 12 bytes for each. Two that share one, if that ever happens, are
    found when their names are collected.

    Parameters
    ----------
    order : int
        Length of the longest runs of labels.
    n_features : int, optional
        Number of columns if these are hashes themselves.
    """

    def __init__(self, order: int, n_features: int | None = None) -> None:
        self._n_features = n_features
        self._keys = np.empty(0, dtype=np.uint64)  # sorted, beside their numbers
        self._numbers = np.empty(0, dtype=np.int32)
        self._labels: dict[Any, int] = {}
        self._first: tuple[str, int, str] | None = None
        self._form: Form | None = None
        self._columns: list[Ids] = []
        self._label_numbers: list[Ids] = []
        self._counts = np.zeros(n_features or 0, dtype=np.int64)
        self._grams: list[list[Integers]] = [[] for _ in range(order)]

    def add(self, survey: TagSurvey) -> None:
        """Take in what a part has."""
        if self._first is None:
            self._first, self._form = (survey.kind, len(survey.keys), survey.name), survey.form
        kind, n_attributes, name = self._first
        if survey.kind != kind or (kind == "vectors" and len(survey.keys) != n_attributes):
            came = f"{survey.kind} with {len(survey.keys)} columns" if survey.kind == "vectors" else survey.kind
            raise InputError(f"{survey.name} holds {came} but {name} holds {kind}; give every part the same form.")
        self._form = joined_form(self._form, survey.form)
        if self._n_features is None:
            columns = self._numbered(survey.keys)
            self._counts = np.pad(self._counts, (0, len(self._keys) - len(self._counts)))
        else:
            columns = columns_of(survey.keys, self._n_features)
        np.add.at(self._counts, columns, survey.counts)
        labels = np.array([self._labels.setdefault(each, len(self._labels)) for each in survey.labels], dtype=np.int32)
        self._columns.append(columns)
        self._label_numbers.append(labels)
        for length, windows in enumerate(survey.grams):
            self._grams[length].append(np.unique(labels[windows].astype(np.int64), axis=0))

    def _numbered(self, keys: NDArray[np.uint64]) -> Ids:
        """Numbers of keys in the order of their first appearance, new ones for those that are new."""
        places = np.searchsorted(self._keys, keys)
        is_known = np.zeros(len(keys), dtype=bool)
        if len(self._keys):
            is_known = self._keys[np.minimum(places, len(self._keys) - 1)] == keys
        found = np.empty(len(keys), dtype=np.int32)
        found[is_known] = self._numbers[places[is_known]]
        new = np.flatnonzero(~is_known)
        found[new] = np.arange(len(self._keys), len(self._keys) + len(new))
        new = new[np.argsort(keys[new])]
        self._numbers = np.insert(self._numbers, places[new], found[new])
        self._keys = np.insert(self._keys, places[new], keys[new])
        return found

    def structure(self, tagger: Any, asked: Asked) -> tuple[Any, list[Any]]:
        """What a tagger learns on, and for each part the columns of its attributes and the numbers of its labels."""
        places, n_columns = self._kept(tagger.min_count)
        del self._keys, self._numbers
        classes = label_classes([list(self._labels)])
        final = Alphabet(classes).encode(list(self._labels))  # labels are sorted, attributes are as they came
        numbers = [(places[own], final[labels]) for own, labels in zip(self._columns, self._label_numbers, strict=True)]
        del self._columns
        mask = np.zeros((n_columns, len(classes)), dtype=bool)
        names: list[Any] = [None] * (n_columns if self._n_features is None else 0)
        for own, rows, labels in asked(_details, [(*each, self._n_features is None) for each in numbers]):
            mask[rows, labels] = True
            for column, name in own.items():
                if names[column] is None:
                    names[column] = name
                elif names[column] != name:
                    raise InputError(f"attributes {names[column]!r} and {name!r} have one hash; rename one of them.")
        kind = "symbols" if self._first is None else self._first[0]
        encoder = tagger._new_encoder(kind, names)
        encoder.form = self._form
        observed = [np.unique(final[np.concatenate(own)].astype(np.int64), axis=0) for own in self._grams]
        chain = features_of_parts(tagger, encoder, classes, mask, observed)
        return tagger._tagging(encoder, classes, chain), numbers

    def _kept(self, min_count: int) -> tuple[Ids, int]:
        """The column of each attribute, none of one that does not occur often enough; and the number of columns."""
        frequent = self._counts >= min_count if min_count > 1 else np.ones(len(self._counts), dtype=bool)
        hashed = self._n_features is not None
        columns = np.arange(len(frequent)) if hashed else np.cumsum(frequent) - 1
        n_columns = len(frequent) if hashed else int(np.count_nonzero(frequent))
        return np.where(frequent, columns, UNKNOWN).astype(np.int32), n_columns


def _details(kept: Arrays, columns: Ids, labels: Ids, with_names: bool) -> tuple[dict[int, Any], Ids, Ids]:
    """Of the attributes of a part that have a column: their names, and the labels that each occurs with."""
    rows, numbers = columns[kept["pair_attributes"]], labels[kept["pair_labels"]]
    has_column = rows != UNKNOWN
    names = {}
    if with_names:
        own = unpack_named("attributes", kept)
        names = {int(columns[i]): own[i] for i in np.flatnonzero(columns != UNKNOWN).tolist()}
    return names, rows[has_column], numbers[has_column]


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
        names = encoder.feature_names
        keys = name_hashes(names)
        if len(np.unique(keys)) < len(keys):
            raise InputError(f"{name}: two attributes have one hash; rename one of them.")
        kept = {
            "offsets": corpus.offsets,
            "token_offsets": tokens.offsets,
            "ids": tokens.ids,
            "values": tokens.values,
            "labels": labels,
            "pair_attributes": rows.astype(np.int32),
            "pair_labels": columns.astype(np.int32),
            **(pack_named("attributes", names) if tagger.n_features is None else {}),
        }
        survey = TagSurvey(
            encoder.kind or "",
            token_form(X),
            keys,
            np.bincount(tokens.ids, minlength=tokens.n_columns),
            list(classes),
            observed_grams(labels, corpus.offsets, len(classes), tagger.chain_order),
            corpus.lengths,
            name,
        )
        return kept, survey

    def agree(self, surveys: Iterable[TagSurvey], asked: Asked) -> tuple[Any, list[Any]]:
        """The structure, and for each part the columns of its attributes and the numbers of its labels."""
        known = Vocabulary(self.estimator.chain_order, self.estimator.n_features)
        for survey in surveys:
            known.add(survey)
        return known.structure(self.estimator, asked)

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

    def bound(
        self, structure: Any, arrays: Arrays, shards: list[list[slice]], spare: SpareSums | None = None
    ) -> ChainBatch:
        """The batch of what `arrays` made, perhaps laid out already."""
        chain, tokens = structure.chain, _tokens(structure, arrays)
        corpus = Corpus(arrays["offsets"], tokens, structure.encoder.key)
        batch = ChainBatch(chain, corpus, arrays["labels"], None, 1)
        if "rows" in arrays:
            batch.layouts = TokenLayouts(chain, corpus, tokens, checked_layout(chain, len(tokens), arrays), spare)
        batch.set_shards(shards)
        return batch

    def laid_out(self, structure: Any, arrays: Arrays) -> Arrays:
        """What `arrays` made, and how the compiled loops read it."""
        return {**arrays, **lay_out(structure.chain, _tokens(structure, arrays))}


def _tokens(structure: Any, arrays: Arrays) -> SparseTokens:
    n_columns = len(structure.chain.pair_offsets) - 1
    return SparseTokens(arrays["token_offsets"], arrays["ids"], arrays["values"], n_columns)
