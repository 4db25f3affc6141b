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
    "score_positions",
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
def collect_entries(context_offsets, contexts, n_contexts, n_own, own_places, trait_offsets, trait_places, n_places):
    """Which places each context has been seen with: offsets and places, in order.

    Position t has the place ``own_places[t]`` for the first `n_own` contexts, and for the others those from
    ``trait_offsets[t]`` to ``trait_offsets[t + 1]``.
    """
    starts = np.zeros(n_contexts + 1, dtype=np.int64)
    for t in range(len(context_offsets) - 1):
        n_traits = trait_offsets[t + 1] - trait_offsets[t]
        for k in range(context_offsets[t], context_offsets[t + 1]):
            starts[contexts[k] + 1] += 1 if contexts[k] < n_own else n_traits
    for context in range(n_contexts):
        starts[context + 1] += starts[context]
    seen = np.empty(starts[n_contexts], dtype=np.int16)
    filled = starts[:-1].copy()
    for t in range(len(context_offsets) - 1):
        for k in range(context_offsets[t], context_offsets[t + 1]):
            context = contexts[k]
            if context < n_own:
                seen[filled[context]] = own_places[t]
                filled[context] += 1
            else:
                for s in range(trait_offsets[t], trait_offsets[t + 1]):
                    seen[filled[context]] = trait_places[s]
                    filled[context] += 1
    offsets = np.zeros(n_contexts + 1, dtype=np.int64)
    latest = np.full(n_places, -1, dtype=np.int64)
    total = 0
    for context in range(n_contexts):
        first = total
        for k in range(starts[context], starts[context + 1]):
            place = seen[k]
            if latest[place] != context:
                latest[place] = context
                j = total  # never overtakes what is still to be read
                while j > first and seen[j - 1] > place:
                    seen[j] = seen[j - 1]
                    j -= 1
                seen[j] = place
                total += 1
        offsets[context + 1] = total
    return offsets, seen[:total].copy()


@jit
def score_positions(corpus, candidates, entries, scores):
    """Sum of the weights of the contexts for each position and candidate into the rows of `scores`.

    All contexts of a position are looked up before the first one is added: what is not in a cache is on its way for
    all of them at once.
    """
    symbols, context_offsets, contexts = corpus
    first, _, trait_offsets, traits = candidates
    entry_offsets, entry_places, weights = entries
    most = _most_candidates(first)
    n_traits, longest = 0, 0
    for trait in traits:
        n_traits = max(n_traits, trait + 1)
    for t in range(len(symbols)):
        longest = max(longest, context_offsets[t + 1] - context_offsets[t])
    row = np.empty(most + n_traits)
    begins, ends = np.empty(longest, dtype=np.int64), np.empty(longest, dtype=np.int64)
    places, values = np.empty(longest, dtype=np.int64), np.empty(longest)
    for t in range(len(symbols)):
        row[:] = 0.0
        n = 0
        for k in range(context_offsets[t], context_offsets[t + 1]):
            begin, end = entry_offsets[contexts[k]], entry_offsets[contexts[k] + 1]
            begins[n], ends[n] = begin, end
            n += begin < end
        for k in range(n):
            places[k], values[k] = entry_places[begins[k]], weights[begins[k]]
        for k in range(n):
            row[places[k]] += values[k]
            for e in range(begins[k] + 1, ends[k]):
                row[entry_places[e]] += weights[e]
        symbol = symbols[t]
        for c in range(first[symbol + 1] - first[symbol]):
            candidate = first[symbol] + c
            total = row[c]
            for k in range(trait_offsets[candidate], trait_offsets[candidate + 1]):
                total += row[most + traits[k]]
            scores[t, c] = total
