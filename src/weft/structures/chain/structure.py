"""Chain: all label sequences of a given length, as a derivation graph and in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack

from weft.arrays import Floats, Integers
from weft.core import Derivation, DerivationGraph, moments
from weft.errors import InputError
from weft.structures.chain.features import ForbiddenLabels
from weft.structures.chain.label_grams import LabelGrams
from weft.structures.structure_moments import LossMoments, StructureMoments

MAX_GRAPHS = 64
"""Graphs kept for lengths seen before; topology depends on the length alone."""


class Chain:
    """Label sequences over symbol sequences, with the features of a hidden Markov model (MM, section 2.3.1).

    Feature order: emissions (label p, symbol q) at ``p * n_symbols + q``, then label n-grams of length 2 to
    ``order + 1``, then, with `boundary`, first and last labels.

    Parameters
    ----------
    n_labels : int
    n_symbols : int, optional
        Needed by whatever looks at symbols; 0 leaves emissions out.
    order : int
        Number of labels that the next label depends on.
    forbidden : ForbiddenLabels, optional
        Steps that no output takes (see `forbidden_labels` for BIO and other schemes by name).
    boundary : bool
        Features for the first and the last label.

    Examples
    --------
    >>> Chain(n_labels=2, n_symbols=3).moments([0, 1, 0, 2]).mean
    array([1.  , 0.5 , 0.5 , 1.  , 0.5 , 0.5 , 0.75, 0.75, 0.75, 0.75])
    """

    def __init__(
        self,
        n_labels: int,
        n_symbols: int = 0,
        order: int = 1,
        forbidden: ForbiddenLabels | None = None,
        boundary: bool = False,
    ) -> None:
        if n_labels < 1:
            raise InputError(f"n_labels is {n_labels}; a chain needs at least 1 label.")
        self.n_labels = n_labels
        self.n_symbols = n_symbols
        self.order = order
        self.forbidden = forbidden
        self.boundary = boundary
        self._grams = LabelGrams.build(n_labels, order)
        self._real_arcs = np.flatnonzero(self._grams.real_arcs)
        self._graphs: dict[int, DerivationGraph] = {}

    # ------------------------------------------------------------------- graph

    @property
    def feature_names(self) -> list[tuple[Any, ...]]:
        """("emission", p, q), ("labels", p, z, ...), ("start", p) and ("end", p)."""
        h = self.n_labels
        names: list[tuple[Any, ...]] = [("emission", p, q) for p in range(h) for q in range(self.n_symbols)]
        names += [("labels", *gram) for gram in self._grams.grams]
        if self.boundary:
            names += [("start", p) for p in range(h)] + [("end", p) for p in range(h)]
        return names

    def n_parts(self, length: int) -> int:
        """Number of parts of the graph for this length."""
        return length * self.n_labels + (length - 1) * len(self._real_arcs) + 2 * self.n_labels

    def compile(self, length: int) -> DerivationGraph:
        """Graph whose derivations are the label sequences of this length.

        Its parts are, in order: label p at position t (``t * n_labels + p``), then every arc at every step, then
        first and last labels.
        """
        if length < 1:
            raise InputError(f"length is {length}; a sequence has at least 1 token.")
        if length not in self._graphs:
            if len(self._graphs) >= MAX_GRAPHS:
                self._graphs.clear()
            self._graphs[length] = self._compile(length)
        return self._graphs[length]

    def _states(self, position: int) -> Integers:
        """Numbers of the chain states that can occur at a position: those whose history is as long as it can be."""
        h, width = self.n_labels, self._grams.width
        known = min(position, self.order - 1)
        first_block = sum(h**j for j in range(known))
        blocks = first_block + np.arange(h**known)
        return np.asarray((blocks[:, None] * width + np.arange(h)).reshape(-1), dtype=np.int64)

    def _compile(self, length: int) -> DerivationGraph:
        h, width = self.n_labels, self._grams.width
        arc_number = np.full(self._grams.n_states * width, -1, dtype=np.int64)
        arc_number[self._real_arcs] = np.arange(len(self._real_arcs))
        first_arc_part = length * h
        first_end_part = first_arc_part + (length - 1) * len(self._real_arcs)
        heads, tails, parts = [], [], []
        n_nodes = 0
        before = before_nodes = np.empty(0, dtype=np.int64)
        for t in range(length):
            states = self._states(t)
            # A node that gathers all ways to reach a state, and one that adds the label's own part.
            entry = dict(zip(states.tolist(), range(n_nodes, n_nodes + len(states)), strict=True))
            enter = n_nodes + np.arange(len(states))
            leave = enter + len(states)
            n_nodes += 2 * len(states)
            if t == 0:
                heads.append(enter)
                tails.append(np.full(len(states), -1))
                parts.append(first_end_part + states % width)
            else:
                label = np.arange(h)
                targets = (self._grams.successor[before][:, None] + label).reshape(-1)
                heads.append(np.array([entry[target] for target in targets.tolist()]))
                tails.append(np.repeat(before_nodes, h))
                arcs = arc_number[(before[:, None] * width + label).reshape(-1)]
                parts.append(first_arc_part + (t - 1) * len(self._real_arcs) + arcs)
            heads.append(leave)
            tails.append(enter)
            parts.append(t * h + states % width)
            before, before_nodes = states, leave
        heads.append(np.full(len(before), n_nodes))
        tails.append(before_nodes)
        parts.append(first_end_part + h + before % width)
        tail = np.concatenate(tails)
        return DerivationGraph.build(
            np.concatenate(heads),
            np.stack([tail, np.full(len(tail), -1)], axis=1),
            np.concatenate(parts),
            n_nodes=n_nodes + 1,
            n_parts=self.n_parts(length),
        )

    def base_scores(self, length: int) -> Floats:
        """Zero for every allowed part, ``-inf`` for forbidden ones: the uniform distribution over outputs."""
        h, width = self.n_labels, self._grams.width
        scores = np.zeros(self.n_parts(length))
        if self.forbidden is not None:
            before, after = (self._real_arcs // width) % width, self._real_arcs % width
            bad = np.flatnonzero(self.forbidden.steps[before, after])
            steps = length * h + np.arange(length - 1)[:, None] * len(self._real_arcs) + bad
            scores[steps.reshape(-1)] = -np.inf
            scores[len(scores) - 2 * h : len(scores) - h][self.forbidden.start] = -np.inf
            scores[len(scores) - h :][self.forbidden.end] = -np.inf
        return scores

    def part_features(self, x: Sequence[int] | Integers) -> csr_matrix:
        """Sparse matrix (n_parts, d) of the features of each part for a symbol sequence."""
        symbols = self._symbols(x)
        length, h = len(symbols), self.n_labels
        rows, columns = [], []
        if self.n_symbols:
            rows.append(np.arange(length * h))
            columns.append((np.arange(h) * self.n_symbols + symbols[:, None]).reshape(-1))
        first_gram = h * self.n_symbols
        grams = self._grams.arc_features[self._real_arcs]
        for column in range(self.order):
            used = np.flatnonzero(grams[:, column] >= 0)
            steps = length * h + np.arange(length - 1)[:, None] * len(self._real_arcs) + used
            rows.append(steps.reshape(-1))
            columns.append(np.tile(first_gram + grams[used, column], length - 1))
        if self.boundary:
            rows.append(self.n_parts(length) - 2 * h + np.arange(2 * h))
            columns.append(first_gram + len(self._grams.grams) + np.arange(2 * h))
        row, column_ids = np.concatenate(rows), np.concatenate(columns)
        shape = (self.n_parts(length), len(self.feature_names))
        return csr_matrix((np.ones(len(row)), (row, column_ids)), shape=shape)

    def decode(self, derivation: Derivation, length: int) -> Integers:
        """Labels of a derivation."""
        emissions = np.sort(derivation.parts[derivation.parts < length * self.n_labels])
        return np.asarray(emissions % self.n_labels, dtype=np.int64)

    def features(self, x: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Floats:
        """Feature vector of one output."""
        symbols, labels = self._symbols(x), np.asarray(y, dtype=np.int64)
        if len(labels) != len(symbols):
            raise InputError(f"x has {len(symbols)} symbols but y has {len(labels)} labels; one per symbol is needed.")
        length, h, width = len(symbols), self.n_labels, self._grams.width
        counts = np.zeros(self.n_parts(length))
        counts[np.arange(length) * h + labels] = 1.0
        arc_number = {int(arc): i for i, arc in enumerate(self._real_arcs)}
        state = int(labels[0])
        for t in range(1, length):
            arc = arc_number[state * width + int(labels[t])]
            counts[length * h + (t - 1) * len(self._real_arcs) + arc] = 1.0
            state = int(self._grams.successor[state]) + int(labels[t])
        counts[len(counts) - 2 * h + labels[0]] = 1.0
        counts[len(counts) - h + labels[-1]] = 1.0
        return np.asarray(self.part_features(symbols).T @ counts)

    def _symbols(self, x: Sequence[int] | Integers) -> Integers:
        symbols = np.asarray(x, dtype=np.int64)
        if symbols.ndim != 1 or len(symbols) == 0:
            raise InputError(f"x has shape {symbols.shape}; a sequence of at least one symbol number is needed.")
        if self.n_symbols and not ((symbols >= 0) & (symbols < self.n_symbols)).all():
            raise InputError(f"x holds symbols outside 0..{self.n_symbols - 1}; raise n_symbols or fix x.")
        return symbols

    # ----------------------------------------------------------------- moments

    @property
    def has_closed_form(self) -> bool:
        """Whether labels are independent and uniform over all outputs, so that moments need only counts."""
        return self.order == 1 and self.forbidden is None and not self.boundary

    def moments(self, x: Sequence[int] | Integers) -> StructureMoments:
        """Count, mean and covariance of the features over all outputs of a symbol sequence."""
        symbols = self._symbols(x)
        if self.has_closed_form:
            log_count = len(symbols) * float(np.log(self.n_labels))
            return StructureMoments(log_count, self._mean(symbols), self._covariance(symbols), self.feature_names)
        return self.graph_moments(symbols)

    def graph_moments(self, x: Sequence[int] | Integers) -> StructureMoments:
        """As `moments`, by the mean/covariance semiring on the graph; works for every chain."""
        symbols = self._symbols(x)
        length = len(symbols)
        result = moments(self.compile(length), self.base_scores(length), self.part_features(symbols))
        return StructureMoments(result.log_weight, result.mean, result.covariance, self.feature_names)

    def _mean(self, symbols: Integers) -> Floats:
        h = self.n_labels
        counts = np.bincount(symbols, minlength=self.n_symbols)[: self.n_symbols]
        return np.concatenate([np.tile(counts / h, h), np.full(h * h, (len(symbols) - 1) / h**2)])

    def _covariance(self, symbols: Integers) -> Floats:
        """Closed form: labels are independent and uniform."""
        h, n_symbols, m = self.n_labels, self.n_symbols, len(symbols)
        same = np.eye(h)
        count = np.bincount(symbols, minlength=n_symbols)[:n_symbols].astype(float)
        entered = np.bincount(symbols[1:], minlength=n_symbols)[:n_symbols]  # a_q: symbol where a transition ends
        left = np.bincount(symbols[:-1], minlength=n_symbols)[:n_symbols]  # b_q: symbol where a transition begins
        emission = np.einsum("pr,qs->pqrs", same / h - 1 / h**2, np.diag(count))
        equal = np.einsum("pr,zs->pzrs", same, same)
        linked = np.einsum("zr,ps->pzrs", same, np.ones((h, h))) + np.einsum("ps,zr->pzrs", same, np.ones((h, h)))
        transition = (m - 1) * (equal / h**2 - 1 / h**4) + max(m - 2, 0) * (linked / h**3 - 2 / h**4)
        ends = np.einsum("q,pz->pqz", entered, same / h**2 - 1 / h**3)[:, :, None, :]
        begins = np.einsum("q,pr->pqr", left, same / h**2 - 1 / h**3)[:, :, :, None]
        mixed = np.broadcast_to(ends + begins, (h, n_symbols, h, h)).reshape(h * n_symbols, h * h)
        return np.block(
            [
                [emission.reshape(h * n_symbols, h * n_symbols), mixed],
                [mixed.T, transition.reshape(h * h, h * h)],
            ]
        )

    def hamming_moments(self, x: Sequence[int] | Integers, y: Sequence[int] | Integers) -> LossMoments:
        """Moments of the Hamming distance to `y` over all outputs (MM section 4.3.1)."""
        symbols, labels = self._symbols(x), np.asarray(y, dtype=np.int64)
        length, h = len(symbols), self.n_labels
        if not self.has_closed_form:
            wrong = np.zeros((self.n_parts(length), 1))
            wrong[: length * h, 0] = (np.arange(h) != labels[:, None]).reshape(-1)
            extended = hstack([self.part_features(symbols), csr_matrix(wrong)]).tocsr()
            result = moments(self.compile(length), self.base_scores(length), extended)
            return LossMoments(float(result.mean[-1]), float(result.covariance[-1, -1]), result.covariance[-1, :-1])
        is_label = (np.arange(h) == labels[:, None]).astype(float)  # (length, h)
        emission = np.zeros((h, self.n_symbols))
        if self.n_symbols:
            np.add.at(emission.T, symbols, 1 / h**2 - is_label / h)
        before, after = is_label[:-1].sum(axis=0), is_label[1:].sum(axis=0)
        transition = -(before[:, None] / h**2 + after[None, :] / h**2 - 2 * (length - 1) / h**3)
        covariance = np.concatenate([emission.reshape(-1), transition.reshape(-1)])
        return LossMoments(length * (1 - 1 / h), length / h * (1 - 1 / h), covariance)
