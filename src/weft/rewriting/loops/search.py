"""Compiled beam search for the best outputs under a chain and a joint n-gram model.

The score of a labelling is ``chain_weight * chain + joint_weight * log P(symbols and labels)`` under an n-gram model of
pairs (symbol, label). That model remembers more than a chain, so that the search keeps the best hypotheses only.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit_inline, jit_rows
from weft.core.prefetch import prefetch
from weft.core.ties import TIE_TOLERANCE, larger_size, sort_ties
from weft.language_model.tables import step
from weft.rewriting.joint_arcs import HALF

LEAST = -1e6
"""Stands for the logarithm of zero, which n-gram models without smoothing give: every input has an output."""
LOWER = (1 << HALF) - 1
FEW_ARCS = 8
"""So many arcs of a state are looked at one by one."""
N_KEPT = 64
"""Places for scores after a state, for other hypotheses in the same state; a power of two."""
MANY = 64
"""More hypotheses are kept in a heap and sorted in the end; fewer are put where they belong at once."""


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


@jit_inline
def _insert(scores, places, last, score, place, tolerance):
    """Put a hypothesis among those before `last`, which come best first and leave it room; it is later than all."""
    here, one = np.uint64(last), np.uint64(1)
    while here > 0 and score > scores[here - one] + tolerance:
        scores[here], places[here] = scores[here - one], places[here - one]
        here -= one
    scores[here], places[here] = score, place


@jit_inline
def _first_arc(arcs, low, end, code):
    """The first arc from `low` on, and before `end`, that is not below a code."""
    while end - low > FEW_ARCS:
        middle = (low + end) >> 1
        if arcs[middle, 0] < code:
            low = middle + 1
        else:
            end = middle
    while low < end and arcs[low, 0] < code:
        low += 1
    return low


@jit_inline
def _end_score(joint, state):
    """Score of the end after a state of the joint model, as `step` gives it: it is the last arc, if there is one."""
    _, back_offs, arcs, arc_scores, _ = joint
    score = 0.0
    end_code = ((joint.states[1, 0] >> HALF) - 1) << HALF
    while True:
        packed, end = joint.states[state, 0], joint.states[state + 1, 0] >> HALF
        if end > packed >> HALF and arcs[end - 1, 0] >= end_code:
            return score + arc_scores[end - 1, 1]
        score += back_offs[state, 1]
        state = packed & LOWER


@jit_inline
def _ranked(scores, places, size, tolerance, order):
    """Numbers of hypotheses, best first, into `order`; of equal ones (`weft.core.ties`) the earlier."""
    if size > MANY:
        order[:size] = np.argsort(-scores[:size])
    else:
        for i in range(size):
            j = i
            while j > 0 and scores[order[j - 1]] < scores[i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
    sort_ties(order[:size], scores, places, tolerance)


@jit_rows
def search(model, joint, language, tier, network, mixture, width, margin, spelled, results):
    """Best outputs of every sequence.

    Of equal hypotheses (`weft.core.ties`) those are kept, and come first, that extend a better one or write an earlier
    candidate.

    Parameters
    ----------
    model : (offsets, symbols, first, classes, scores, transitions)
        As in `weft.rewriting.candidates.loops.chains`; `scores` has a row for each position, by `score_positions`.
    joint : JointArcs
        N-gram model of candidates.
    language, tier : (tables, numbers, first state, end)
        Of output symbols, and of those output symbols that are on a tier; `numbers` has the number of each output
        symbol of `spelled` in the model, -1 for no number.
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
    offsets, symbols, first, classes, scores, transitions = model
    language_tables, symbol_numbers, language_start, language_end = language
    tier_tables, tier_numbers, tier_start, tier_end = tier
    chain_weight, joint_weight, language_weight, tier_weight, network_weight, size_of_chain = mixture
    spelled_offsets, spelled_symbols = spelled
    best_paths, best_scores, totals = results
    longest, most = 0, scores.shape[1]
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    extended, left = np.empty(most), np.empty(most + 1, dtype=np.int64)
    # Rows of what hypotheses after the same candidate share, with position and candidate of each as one number.
    chained, chained_for = np.empty((N_KEPT, most)), np.full(N_KEPT, -1)
    # Rows of what those in the same state share as well, and which of them made each.
    joint_scores = np.zeros((N_KEPT, most))
    joint_states, makers = np.zeros((N_KEPT, most), dtype=np.int64), np.empty(N_KEPT, dtype=np.int64)
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
    numbers, order = np.arange(width), np.empty(width, dtype=np.int64)
    packed_states, back_offs, arcs, arc_scores, _ = joint
    flat_states, flat_arcs = packed_states.reshape(-1), arcs.reshape(-1)  # what comes next is asked for early
    size_of_weights, is_narrow = chain_weight * size_of_chain, width <= MANY
    n_wanted = best_paths.shape[0]

    # A function of its own would be handed arrays, and each would be counted as in use and out of use again, once for
    # every hypothesis and by instructions for which the processors of other threads wait.
    def score_jointly(state, begin, n_here, floor, row):
        """Weighted score of each candidate of a symbol after a state of the joint model, and the state then.

        They are those of `step`, and go into a row of `joint_scores` and `joint_states`. The contexts of the state are
        gone through once for all candidates. Those have -inf for which `extended` cannot be above `floor` any more,
        since log probabilities only lower it; `left` takes up those that still can.
        """
        n_left = 0
        for c in range(n_here):
            joint_scores[row, c] = np.nan
            left[n_left] = c
            n_left += extended[c] > floor
        score, first_code, end_code = 0.0, begin << HALF, (begin + n_here) << HALF
        while n_left > 0:
            best = -np.inf
            for i in range(n_left):
                best = max(best, extended[left[i]])
            if best + joint_weight * max(score, LEAST) <= floor:
                break
            if state == 0:
                for i in range(n_left):
                    c = left[i]
                    joint_scores[row, c] = score + arc_scores[begin + c, 1]
                    joint_states[row, c] = arcs[begin + c, 0] & LOWER
                break
            packed = packed_states[state, 0]
            end = packed_states[state + 1, 0] >> HALF
            arc = _first_arc(arcs, packed >> HALF, end, first_code)
            n_before = n_left
            while arc < end and arcs[arc, 0] < end_code:
                c = (arcs[arc, 0] >> HALF) - begin
                if np.isnan(joint_scores[row, c]):
                    joint_scores[row, c], joint_states[row, c] = score + arc_scores[arc, 1], arcs[arc, 0] & LOWER
                    n_left -= 1
                arc += 1
            if n_left < n_before:
                n_left = 0
                for i in range(n_before):
                    left[n_left] = left[i]
                    n_left += np.isnan(joint_scores[row, left[i]])
            score += back_offs[state, 1]
            state = packed & LOWER
        for c in range(n_here):
            found = joint_scores[row, c]
            joint_scores[row, c] = -np.inf if np.isnan(found) else joint_weight * max(found, LEAST)

    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        n_alive = 1
        states[0, 0], states[1, 0], states[2, 0] = joint.start, language_start, tier_start
        values[0] = 0.0
        scale = size_of_weights
        for t in range(length):
            tolerance = TIE_TOLERANCE * scale
            here = symbols[begin + t]
            n_here = first[here + 1] - first[here]
            size = 0
            floor, top = -np.inf, -np.inf
            makers[:] = -1
            for h in range(n_alive):
                last = np.int64(places[t - 1, h]) if t > 0 else 0
                before = first[symbols[begin + t - 1]] + last if t > 0 else 0
                # Hypotheses in one state after one candidate go on alike. Those come best first, so that what cannot be
                # above the floor for one of them cannot for the next.
                kept = (states[0, h] * 31 + before) & (N_KEPT - 1)
                maker = makers[kept]
                is_known = maker >= 0 and states[0, maker] == states[0, h] and values[maker] >= values[h]
                if is_known and t > 0:
                    is_known = places[t - 1, maker] == places[t - 1, h]
                own, own_value = last & (N_KEPT - 1), values[h]
                if chained_for[own] != (begin + t) * most + last:
                    chained_for[own] = (begin + t) * most + last
                    from_class = classes[before]
                    for c in range(n_here):
                        value = scores[begin + t, c]
                        if t > 0:
                            value += transitions[from_class, classes[first[here] + c]]
                        chained[own, c] = value * chain_weight
                for c in range(n_here):
                    extended[c] = own_value + chained[own, c]
                if network_weight > 0.0:
                    for c in range(n_here):
                        extended[c] += network_weight * network[begin + t, c]
                if joint_weight > 0.0:
                    if not is_known:
                        makers[kept] = h
                        score_jointly(states[0, h], first[here], n_here, floor, kept)
                    for c in range(n_here):
                        extended[c] += joint_scores[kept, c]
                for c in range(n_here):
                    candidate, value = first[here] + c, extended[c]
                    if value <= floor:
                        continue  # log probabilities only lower it
                    state, language_state, tier_state = states[0, h], states[1, h], states[2, h]
                    if joint_weight > 0.0:
                        state = joint_states[kept, c]
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
                    prefetch(flat_states, 2 * state)
                    heap_states[0, place], heap_states[1, place], heap_states[2, place] = (
                        state, language_state, tier_state,
                    )  # fmt: skip
                    if is_narrow:
                        size = min(size + 1, width)
                        _insert(heap_scores, heap_places, size - 1, value, place, tolerance)
                    elif size < width:
                        heap_scores[size], heap_places[size] = value, place
                        _rise(heap_scores, heap_places, size, tolerance)
                        size += 1
                    else:
                        heap_scores[0], heap_places[0] = value, place
                        _sink(heap_scores, heap_places, size, tolerance)
                    if size == width:
                        floor = max(floor, heap_scores[width - 1 if is_narrow else 0])
            # Best first, so that the floor of the next position rises early.
            n_alive = 0
            _ranked(heap_scores, heap_places, size, tolerance, order)
            for r in order[:size]:
                if heap_scores[r] < top - margin:
                    break
                place = heap_places[r]
                parents[t, n_alive] = place // most
                places[t, n_alive] = place % most
                values[n_alive] = heap_scores[r]
                for model_number in range(3):
                    states[model_number, n_alive] = heap_states[model_number, place]
                packed = packed_states[states[0, n_alive], 0]
                prefetch(flat_arcs, 2 * (packed >> HALF))
                prefetch(flat_states, 2 * (packed & LOWER))
                n_alive += 1
        for h in range(n_alive):
            if joint_weight > 0.0:
                values[h] += joint_weight * max(_end_score(joint, states[0, h]), LEAST)
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
        _ranked(values, numbers, n_alive, TIE_TOLERANCE * scale, order)
        top = values[order[0]]
        n_distinct = 0
        total = 0.0
        for k in range(n_wanted):
            best_scores[i, k] = 0.0
        for r in order[:n_alive]:
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
