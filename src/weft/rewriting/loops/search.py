"""Compiled beam search for the best outputs under a chain and a joint n-gram model.

The score of a labelling is ``chain_weight * chain + joint_weight * log P(symbols and labels)`` under an n-gram model of
pairs (symbol, label). That model remembers more than a chain, so that the search keeps the best hypotheses only.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.core.ties import TIE_TOLERANCE, larger_size, sort_ties
from weft.language_model.tables import step
from weft.rewriting.candidates.loops.chains import _score, _sizes

LEAST = -1e6
"""Stands for the logarithm of zero, which n-gram models without smoothing give: every input has an output."""


@jit_inline
def _precedes(score, place, other_score, other_place, tolerance):
    """Whether a hypothesis leaves a heap before another one: it is worse, or equal (`weft.core.ties`) and later."""
    return score < other_score - tolerance or (score <= other_score + tolerance and place > other_place)


@jit_inline
def _sink(heap_scores, heap_places, size, tolerance):
    """Restore a min-heap whose root was replaced."""
    node = 0
    while True:
        child = 2 * node + 1
        if child >= size:
            break
        if child + 1 < size and _precedes(
            heap_scores[child + 1], heap_places[child + 1], heap_scores[child], heap_places[child], tolerance
        ):
            child += 1
        if not _precedes(heap_scores[child], heap_places[child], heap_scores[node], heap_places[node], tolerance):
            break
        heap_scores[node], heap_scores[child] = heap_scores[child], heap_scores[node]
        heap_places[node], heap_places[child] = heap_places[child], heap_places[node]
        node = child


@jit_inline
def _rise(heap_scores, heap_places, node, tolerance):
    """Restore a min-heap to which a last node was added."""
    while node > 0:
        parent = (node - 1) >> 1
        if not _precedes(heap_scores[node], heap_places[node], heap_scores[parent], heap_places[parent], tolerance):
            break
        heap_scores[node], heap_scores[parent] = heap_scores[parent], heap_scores[node]
        heap_places[node], heap_places[parent] = heap_places[parent], heap_places[node]
        node = parent


@jit
def search(model, joint, language, tier, network, mixture, width, margin, spelled, results):
    """Best outputs of every sequence.

    Of equal hypotheses (`weft.core.ties`) those are kept, and come first, that extend a better one or write an earlier
    candidate.

    Parameters
    ----------
    model : tuple
        As in `weft.rewriting.candidates.loops.chains`.
    joint, language, tier : (tables, numbers, first state, end)
        N-gram models of candidates, of output symbols, and of those output symbols that are on a tier; `numbers` has
        the number of each candidate, or of each output symbol of `spelled`, in the model, -1 for no number.
    network : ndarray of shape (n_positions, most candidates)
        Log-probabilities that a network gives to the candidates.
    mixture : six floats
        Weights of the chain, of these models and of the network; then the size of the weights of the chain, for ties.
    width : int
        Hypotheses that are kept.
    margin : float
        Hypotheses that are worse than the best by more than this are dropped.
    spelled : (offsets, symbols)
        Output symbols of each candidate.
    results : (paths, scores, totals)
        (k, n_positions) candidates of the best labelling of each of the k best outputs; (n_sequences, k) log-sum of
        the scores of all labellings in the beam with that output; (n_sequences,) log-sum over the beam.
    """
    corpus, candidates, _, transitions = model
    offsets, symbols, _, _ = corpus
    first, classes, _, _ = candidates
    tables, pair_numbers, start_state, end_symbol = joint
    language_tables, symbol_numbers, language_start, language_end = language
    tier_tables, tier_numbers, tier_start, tier_end = tier
    chain_weight, joint_weight, language_weight, tier_weight, network_weight, size_of_chain = mixture
    spelled_offsets, spelled_symbols = spelled
    best_paths, best_scores, totals = results
    longest, most, n_places = _sizes(model)
    scores = np.empty((longest, n_places))
    parents = np.empty((longest, width), dtype=np.int32)
    places = np.empty((longest, width), dtype=np.int16)
    # Rows: states of the joint model, of the language model and of the tier.
    states = np.zeros((3, width), dtype=np.int64)
    heap_states = np.zeros((3, width * most), dtype=np.int64)
    values = np.empty(width)
    heap_scores = np.empty(width)
    heap_places = np.empty(width, dtype=np.int64)
    path = np.empty(longest, dtype=np.int16)
    hashes = np.empty(width, dtype=np.int64)
    numbers = np.arange(width)
    size_of_weights = chain_weight * size_of_chain
    n_wanted = best_paths.shape[0]
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        n_alive = 1
        states[0, 0], states[1, 0], states[2, 0] = start_state, language_start, tier_start
        values[0] = 0.0
        scale = size_of_weights
        for t in range(length):
            tolerance = TIE_TOLERANCE * scale
            here = symbols[begin + t]
            n_here = first[here + 1] - first[here]
            size = 0
            floor, top = -np.inf, -np.inf
            for h in range(n_alive):
                before = first[symbols[begin + t - 1]] + places[t - 1, h] if t > 0 else 0
                for c in range(n_here):
                    candidate = first[here] + c
                    chain = scores[t, c]
                    if t > 0:
                        chain += transitions[classes[before], classes[candidate]]
                    value = values[h] + chain_weight * chain
                    if network_weight > 0.0:
                        value += network_weight * network[begin + t, c]
                    if value <= floor:
                        continue  # log probabilities only lower it
                    state, language_state, tier_state = states[0, h], states[1, h], states[2, h]
                    if joint_weight > 0.0:
                        score, state = step(tables, state, pair_numbers[candidate])
                        value += joint_weight * max(score, LEAST)
                    if language_weight > 0.0:
                        for s in range(spelled_offsets[candidate], spelled_offsets[candidate + 1]):
                            score, language_state = step(language_tables, language_state, symbol_numbers[s])
                            value += language_weight * max(score, LEAST)
                    if tier_weight > 0.0:
                        for s in range(spelled_offsets[candidate], spelled_offsets[candidate + 1]):
                            if tier_numbers[s] >= 0:
                                score, tier_state = step(tier_tables, tier_state, tier_numbers[s])
                                value += tier_weight * max(score, LEAST)
                    if value <= floor + tolerance:
                        continue
                    if value > top:
                        top = value
                        scale = larger_size(scale, value)
                        tolerance = TIE_TOLERANCE * scale
                        floor = max(floor, top - margin)
                    place = h * most + c
                    heap_states[0, place], heap_states[1, place], heap_states[2, place] = (
                        state, language_state, tier_state,
                    )  # fmt: skip
                    if size < width:
                        heap_scores[size], heap_places[size] = value, place
                        _rise(heap_scores, heap_places, size, tolerance)
                        size += 1
                    else:
                        heap_scores[0], heap_places[0] = value, place
                        _sink(heap_scores, heap_places, size, tolerance)
                    if size == width:
                        floor = max(floor, heap_scores[0])
            # Best first, so that the floor of the next position rises early.
            n_alive = 0
            ranked = np.argsort(-heap_scores[:size])
            sort_ties(ranked, heap_scores, heap_places, tolerance)
            for r in ranked:
                if heap_scores[r] < top - margin:
                    break
                place = heap_places[r]
                parents[t, n_alive] = place // most
                places[t, n_alive] = place % most
                values[n_alive] = heap_scores[r]
                states[:, n_alive] = heap_states[:, place]
                n_alive += 1
        for h in range(n_alive):
            if joint_weight > 0.0:
                values[h] += joint_weight * max(step(tables, states[0, h], end_symbol)[0], LEAST)
            if language_weight > 0.0:
                values[h] += language_weight * max(step(language_tables, states[1, h], language_end)[0], LEAST)
            if tier_weight > 0.0:
                values[h] += tier_weight * max(step(tier_tables, states[2, h], tier_end)[0], LEAST)
        if n_alive == 0:  # no hypothesis has a finite score
            totals[i] = -np.inf
            for k in range(n_wanted):
                best_scores[i, k] = -np.inf
                best_paths[k, begin : begin + length] = 0
            continue
        # Labellings that write the same output are one.
        order = np.argsort(-values[:n_alive])
        sort_ties(order, values, numbers, TIE_TOLERANCE * scale)
        top = values[order[0]]
        n_distinct = 0
        total = 0.0
        for k in range(n_wanted):
            best_scores[i, k] = 0.0
        for r in order:
            share = np.exp(values[r] - top)
            total += share
            h = r
            for t in range(length - 1, -1, -1):
                path[t] = places[t, h]
                h = parents[t, h]
            code = np.int64(1469598103934665603)
            for t in range(length):
                candidate = first[symbols[begin + t]] + path[t]
                for s in range(spelled_offsets[candidate], spelled_offsets[candidate + 1]):
                    code = (code ^ np.int64(spelled_symbols[s] + 1)) * np.int64(1099511628211)
            known = 0
            while known < n_distinct and hashes[known] != code:
                known += 1
            if known == n_distinct:
                hashes[n_distinct] = code
                n_distinct += 1
                if known < n_wanted:
                    best_paths[known, begin : begin + length] = path[:length]
            if known < n_wanted:
                best_scores[i, known] += share
        for k in range(n_wanted):
            best_scores[i, k] = top + np.log(best_scores[i, k]) if k < n_distinct else -np.inf
        totals[i] = top + np.log(total)
