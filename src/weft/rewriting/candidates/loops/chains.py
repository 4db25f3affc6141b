"""Compiled loops over chains whose labels depend on the symbol: each symbol has its own few candidates.

A model is ``(corpus, candidates, entries, transitions)``:

* corpus: ``(offsets, symbols, context_offsets, contexts)``, the contexts of each position;
* candidates: ``(first, classes, trait_offsets, traits)``; symbol s has the candidates ``first[s]:first[s + 1]``,
  numbered through all symbols, `classes` has the class of each candidate, which its steps depend on, and candidates
  with a trait in common share what contexts say about it;
* entries: ``(entry_offsets, entry_places, weights)``, the places that each context has a weight for: candidates,
  counted from the first one of its symbol, or traits, counted after the most candidates that a symbol has;
* transitions: array (n_classes, n_classes) of weights from class to class.
"""

from __future__ import annotations

import numpy as np

from weft.core.complex_step import exponential
from weft.core.jit import jit, jit_inline
from weft.core.ties import TIE_TOLERANCE, larger_size, mean_size

__all__ = [
    "collect_entries",
    "decode_candidates",
    "observed_candidates",
    "partition_candidates",
    "perceptron_candidates",
]

TINY = 1e-30
"""Probabilities below this count as zero: denormal numbers would cost a hundred times as much."""


@jit_inline
def _score(model, begin, length, scores):
    """Sum of the weights of the contexts for each position and candidate."""
    corpus, candidates, entries, _ = model
    _, symbols, context_offsets, contexts = corpus
    first, _, trait_offsets, traits = candidates
    entry_offsets, entry_places, weights = entries
    most = _most_candidates(first)
    for t in range(length):
        row = scores[t]
        symbol = symbols[begin + t]
        row[:] = 0.0
        for k in range(context_offsets[begin + t], context_offsets[begin + t + 1]):
            context = contexts[k]
            for e in range(entry_offsets[context], entry_offsets[context + 1]):
                row[entry_places[e]] += weights[e]
        for c in range(first[symbol + 1] - first[symbol]):
            candidate = first[symbol] + c
            for k in range(trait_offsets[candidate], trait_offsets[candidate + 1]):
                row[c] += row[most + traits[k]]


@jit_inline
def _most_candidates(first):
    most = 0
    for s in range(len(first) - 1):
        most = max(most, first[s + 1] - first[s])
    return most


@jit_inline
def _sizes(model):
    """Longest sequence, most candidates of a symbol, and these with the traits."""
    corpus, candidates, _, _ = model
    offsets = corpus[0]
    first, _, _, traits = candidates
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    most = _most_candidates(first)
    n_traits = 0
    for trait in traits:
        n_traits = max(n_traits, trait + 1)
    return longest, most, most + n_traits


@jit_inline
def _mark(candidates, symbol, place, most, marked, value):
    """Mark the places that one candidate stands for: itself and its traits."""
    first, _, trait_offsets, traits = candidates
    marked[place] = value
    candidate = first[symbol] + place
    for k in range(trait_offsets[candidate], trait_offsets[candidate + 1]):
        marked[most + traits[k]] = value


@jit_inline
def _viterbi(model, begin, length, scores, best, path, size):
    """Best candidates of a sequence into `path`, counted from the first of each symbol; their score.

    Ties (`weft.core.ties`) go to the candidate that comes first; `size` is that of the weights behind the scores.
    """
    corpus, candidates, _, transitions = model
    symbols = corpus[1]
    first, classes, _, _ = candidates
    top = -np.inf
    last = symbols[begin + length - 1]
    for c in range(first[last + 1] - first[last]):
        best[length - 1, c] = scores[length - 1, c]
        top = max(top, best[length - 1, c])
    size = larger_size(size, top)
    for t in range(length - 2, -1, -1):
        before, after = first[symbols[begin + t]], first[symbols[begin + t + 1]]
        n_after = first[symbols[begin + t + 1] + 1] - after
        top = -np.inf
        for a in range(first[symbols[begin + t] + 1] - before):
            steps = transitions[classes[before + a]]
            value = -np.inf
            for c in range(n_after):
                value = max(value, steps[classes[after + c]] + best[t + 1, c])
            best[t, a] = scores[t, a] + value
            top = max(top, best[t, a])
        size = larger_size(size, top)
    tolerance = TIE_TOLERANCE * size
    path[0] = 0
    while best[0, path[0]] < top - tolerance:
        path[0] += 1
    for t in range(1, length):
        before, after = first[symbols[begin + t - 1]], first[symbols[begin + t]]
        steps = transitions[classes[before + path[t - 1]]]
        through = -np.inf
        for c in range(first[symbols[begin + t] + 1] - after):
            through = max(through, steps[classes[after + c]] + best[t, c])
        path[t] = 0
        while steps[classes[after + path[t]]] + best[t, path[t]] < through - tolerance:
            path[t] += 1
    return top


@jit_inline
def _add_distance(model, begin, length, distance, scores):
    """Add a cost to the score of each candidate that is not the reference; nothing without references."""
    gold, cost = distance
    if len(gold) == 0:
        return
    symbols, first = model[0][1], model[1][0]
    for t in range(length):
        symbol = symbols[begin + t]
        for c in range(first[symbol + 1] - first[symbol]):
            if c != gold[begin + t]:
                scores[t, c] += cost


@jit
def decode_candidates(model, distance, paths, values):
    """Best candidates of every sequence into `paths`, one per position, and their scores into `values`.

    `distance` is (references, cost), or has no references.
    """
    longest, most, places = _sizes(model)
    offsets = model[0][0]
    scores, best = np.empty((longest, places)), np.empty((longest, most))
    size = mean_size(model[2][2])
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        _add_distance(model, begin, length, distance, scores)
        values[i] = _viterbi(model, begin, length, scores, best, paths[begin : begin + length], size)


@jit
def partition_candidates(model, distance, sample_weight, log_partitions, entry_sums, step_sums, marginals):
    """Log partition of every sequence; expected features are added to the sums, steps without their exponential.

    If `marginals` has rows, it gets the probability of every candidate at every position instead. `model` has the
    exponentials of the steps in place of their weights. Rows are scaled to sum to one; a sequence that underflows all
    the same gets NaN. `distance` is (references, cost), or has no references. Numbers may be complex, to first order in
    their imaginary parts (`weft.core.complex_step`).
    """
    longest, most, places = _sizes(model)
    corpus, candidates, entries, factors = model
    offsets, symbols, context_offsets, contexts = corpus
    first, classes, trait_offsets, traits = candidates
    entry_offsets, entry_places, weights = entries
    scores, forward = np.empty((longest, places), weights.dtype), np.empty((longest, places), weights.dtype)
    ahead, row = np.empty(most, weights.dtype), np.empty(most, weights.dtype)
    scales = np.empty(longest, weights.dtype)
    zero = weights.dtype.type(0.0)
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        _add_distance(model, begin, length, distance, scores)
        log_partition = zero
        for t in range(length):
            here = symbols[begin + t]
            start, n_here = first[here], first[here + 1] - first[here]
            largest = -np.inf
            for c in range(n_here):
                largest = max(largest, scores[t, c].real)
            for c in range(n_here):
                scores[t, c] = exponential(scores[t, c] - largest)
                forward[t, c] = 0.0 if t > 0 else 1.0
            if t > 0:
                before = first[symbols[begin + t - 1]]
                for a in range(first[symbols[begin + t - 1] + 1] - before):
                    value = forward[t - 1, a]
                    steps = factors[classes[before + a]]
                    for c in range(n_here):
                        forward[t, c] += value * steps[classes[start + c]]
            total = zero
            for c in range(n_here):
                forward[t, c] *= scores[t, c]
                total += forward[t, c]
            for c in range(n_here):
                forward[t, c] = forward[t, c] / total if forward[t, c].real > TINY * total.real else zero
            scales[t] = total
            log_partition += largest + np.log(total)
        log_partitions[i] = log_partition
        if not np.isfinite(log_partition.real):
            log_partitions[i] = np.nan
            continue
        for t in range(length - 1, -1, -1):
            here = symbols[begin + t]
            start, n_here = first[here], first[here + 1] - first[here]
            if t < length - 1:
                # ahead has the next position's candidates: score times backward sum over scale.
                after = first[symbols[begin + t + 1]]
                n_after = first[symbols[begin + t + 1] + 1] - after
                for a in range(n_here):
                    steps = factors[classes[start + a]]
                    sums = step_sums[classes[start + a]]
                    value = forward[t, a] * sample_weight[i]
                    total = zero
                    for c in range(n_after):
                        total += steps[classes[after + c]] * ahead[c]
                        sums[classes[after + c]] += value * ahead[c]
                    row[a] = total
            else:
                for a in range(n_here):
                    row[a] = 1.0
            for c in range(n_here):
                ahead[c] = row[c] * scores[t, c] / scales[t] if scores[t, c].real > TINY else zero
                forward[t, c] *= row[c] * sample_weight[i]
            if len(marginals) > 0:
                for c in range(n_here):
                    marginals[begin + t, c] = forward[t, c].real
            else:
                forward[t, most:] = 0.0
                for c in range(n_here):
                    for k in range(trait_offsets[start + c], trait_offsets[start + c + 1]):
                        forward[t, most + traits[k]] += forward[t, c]
                for k in range(context_offsets[begin + t], context_offsets[begin + t + 1]):
                    context = contexts[k]
                    for e in range(entry_offsets[context], entry_offsets[context + 1]):
                        entry_sums[e] += forward[t, entry_places[e]]


@jit
def observed_candidates(model, paths, sample_weight, entry_sums, step_sums):
    """Add the features of the given candidates of every sequence to the sums."""
    corpus, candidates, entries, _ = model
    offsets, symbols, context_offsets, contexts = corpus
    first, classes, _, _ = candidates
    entry_offsets, entry_places, _ = entries
    _, most, n_places = _sizes(model)
    marked = np.zeros(n_places, dtype=np.bool_)
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            here = first[symbols[t]] + paths[t]
            _mark(candidates, symbols[t], paths[t], most, marked, True)
            for k in range(context_offsets[t], context_offsets[t + 1]):
                for e in range(entry_offsets[contexts[k]], entry_offsets[contexts[k] + 1]):
                    if marked[entry_places[e]]:
                        entry_sums[e] += sample_weight[i]
            _mark(candidates, symbols[t], paths[t], most, marked, False)
            if t > offsets[i]:
                before = first[symbols[t - 1]] + paths[t - 1]
                step_sums[classes[before], classes[here]] += sample_weight[i]


@jit
def collect_entries(context_offsets, contexts, seen_offsets, seen_places, n_contexts):
    """Which places each context has been seen with: offsets and places, in order.

    Position t has the places ``seen_places[seen_offsets[t]:seen_offsets[t + 1]]``.
    """
    starts = np.zeros(n_contexts + 1, dtype=np.int64)
    for t in range(len(context_offsets) - 1):
        for k in range(context_offsets[t], context_offsets[t + 1]):
            starts[contexts[k] + 1] += seen_offsets[t + 1] - seen_offsets[t]
    for context in range(n_contexts):
        starts[context + 1] += starts[context]
    seen = np.empty(starts[n_contexts], dtype=np.int16)
    filled = starts[:-1].copy()
    for t in range(len(context_offsets) - 1):
        for k in range(context_offsets[t], context_offsets[t + 1]):
            for s in range(seen_offsets[t], seen_offsets[t + 1]):
                seen[filled[contexts[k]]] = seen_places[s]
                filled[contexts[k]] += 1
    offsets = np.zeros(n_contexts + 1, dtype=np.int64)
    total = 0
    for context in range(n_contexts):
        places = np.unique(seen[starts[context] : starts[context + 1]])
        for k in range(len(places)):
            seen[total + k] = places[k]  # never overtakes what is still to be read
        total += len(places)
        offsets[context + 1] = total
    return offsets, seen[:total].copy()


@jit_inline
def _update(model, t, place, change, clock, totals, most, marked):
    """Add `change` to the weights of one candidate at one position."""
    corpus, candidates, entries, _ = model
    _, symbols, context_offsets, contexts = corpus
    _mark(candidates, symbols[t], place, most, marked, True)
    entry_offsets, entry_places, weights = entries
    for k in range(context_offsets[t], context_offsets[t + 1]):
        context = contexts[k]
        for e in range(entry_offsets[context], entry_offsets[context + 1]):
            if marked[entry_places[e]]:
                weights[e] += change
                totals[e] += clock * change
    _mark(candidates, symbols[t], place, most, marked, False)


@jit_inline
def _length_in_play(model, begin, length, scores, gold, best):
    """Length of the shortest prefix after which the reference cannot win: a better one ends like it."""
    corpus, candidates, _, transitions = model
    symbols = corpus[1]
    first, classes, _, _ = candidates
    reference = 0.0
    for t in range(length):
        here = first[symbols[begin + t]]
        before = first[symbols[begin + t - 1]] if t > 0 else 0
        reference += scores[t, gold[begin + t]]
        if t > 0:
            reference += transitions[classes[before + gold[begin + t - 1]], classes[here + gold[begin + t]]]
        for c in range(first[symbols[begin + t] + 1] - here):
            value = 0.0 if t == 0 else -np.inf
            if t > 0:
                for a in range(first[symbols[begin + t - 1] + 1] - before):
                    value = max(value, best[t - 1, a] + transitions[classes[before + a], classes[here + c]])
            best[t, c] = scores[t, c] + value
        if best[t, gold[begin + t]] > reference + TIE_TOLERANCE * max(abs(reference), abs(best[t, gold[begin + t]])):
            return t + 1
    return length


@jit
def perceptron_candidates(order, model, gold, sample_weight, clock, totals, transition_totals, early):
    """One pass of the averaged perceptron over the sequences in `order`; clock and number of wrong positions.

    With `early` a step is made on the prefix at which the reference is lost, and what follows is not counted.
    """
    longest, most, n_places = _sizes(model)
    corpus, candidates, _, transitions = model
    offsets, symbols, _, _ = corpus
    first, classes, _, _ = candidates
    scores, best = np.empty((longest, n_places)), np.empty((longest, most))
    marked = np.zeros(n_places, dtype=np.bool_)
    paths = np.empty(longest, dtype=np.int16)
    n_wrong = 0
    size = mean_size(model[2][2])
    for i in order:
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        if early:
            length = _length_in_play(model, begin, length, scores, gold, best)
        path = paths[:length]
        _viterbi(model, begin, length, scores, best, path, size)
        change = sample_weight[i]
        for t in range(length):
            wanted, found = gold[begin + t], path[t]
            if wanted != found:
                n_wrong += 1
                _update(model, begin + t, wanted, change, clock, totals, most, marked)
                _update(model, begin + t, found, -change, clock, totals, most, marked)
            if t > 0 and (wanted != found or gold[begin + t - 1] != path[t - 1]):
                before, here = first[symbols[begin + t - 1]], first[symbols[begin + t]]
                a, c = classes[before + gold[begin + t - 1]], classes[here + wanted]
                transitions[a, c] += change
                transition_totals[a, c] += clock * change
                a, c = classes[before + path[t - 1]], classes[here + found]
                transitions[a, c] -= change
                transition_totals[a, c] -= clock * change
        clock += 1.0
    return clock, n_wrong
