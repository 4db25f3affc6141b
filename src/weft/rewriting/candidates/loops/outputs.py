"""Compiled loops about outputs of chains of candidates: their features, random ones, moments of all their scores.

A model is that of `weft.rewriting.candidates.loops.chains`.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.rewriting.candidates.loops.chains import _mark, _score, _sizes

__all__ = ["draw_candidates", "feature_numbers", "score_moments"]


@jit
def feature_numbers(model, paths, starts, numbers):
    """Numbers of the features of each output, some of them more than once.

    Without room in `numbers` they are counted: `starts` gets where those of each sequence begin.
    """
    corpus, candidates, entries, transitions = model
    offsets, symbols, context_offsets, contexts = corpus
    first, classes, _, _ = candidates
    entry_offsets, entry_places, _ = entries
    _, most, n_places = _sizes(model)
    marked = np.zeros(n_places, dtype=np.bool_)
    n_found = 0
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            _mark(candidates, symbols[t], paths[t], most, marked, True)
            for k in range(context_offsets[t], context_offsets[t + 1]):
                for e in range(entry_offsets[contexts[k]], entry_offsets[contexts[k] + 1]):
                    if marked[entry_places[e]]:
                        if len(numbers) > 0:
                            numbers[n_found] = e
                        n_found += 1
            _mark(candidates, symbols[t], paths[t], most, marked, False)
            if t > offsets[i]:
                before = classes[first[symbols[t - 1]] + paths[t - 1]]
                here = classes[first[symbols[t]] + paths[t]]
                if len(numbers) > 0:
                    numbers[n_found] = len(entry_places) + before * transitions.shape[1] + here
                n_found += 1
        starts[i + 1] = n_found


@jit
def score_moments(model, means, variances):
    """Mean and variance of the score of all outputs of every sequence, each counting the same.

    All prefixes that end with a candidate are equally many, so that moments go from position to position: those of
    the candidates before, which count the same, and of the steps from them.
    """
    longest, most, places = _sizes(model)
    corpus, candidates, _, transitions = model
    offsets, symbols, _, _ = corpus
    first, classes, _, _ = candidates
    scores = np.empty((longest, places))
    mean, square, new_mean, new_square = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        # Scores relative to a common one, so that squares lose no digits to the mean.
        centre = 0.0
        n_before = 0
        for t in range(length):
            start = first[symbols[begin + t]]
            n_here = first[symbols[begin + t] + 1] - start
            before = first[symbols[begin + t - 1]] if t > 0 else 0
            middle = 0.0
            for c in range(n_here):
                new_mean[c], new_square[c] = scores[t, c], 0.0
                if t > 0:
                    total = 0.0
                    for a in range(n_before):
                        total += mean[a] + transitions[classes[before + a], classes[start + c]]
                    total /= n_before
                    spread = 0.0
                    for a in range(n_before):
                        away = mean[a] + transitions[classes[before + a], classes[start + c]] - total
                        spread += square[a] + away * away
                    new_mean[c] += total
                    new_square[c] = spread / n_before
                middle += new_mean[c]
            middle /= n_here
            centre += middle
            for c in range(n_here):
                mean[c], square[c] = new_mean[c] - middle, new_square[c]
            n_before = n_here
        variance = 0.0
        for c in range(n_before):
            variance += square[c] + mean[c] * mean[c]
        means[i], variances[i] = centre, variance / n_before


@jit
def draw_candidates(model, uniforms, drawn):
    """Random outputs of every sequence, a row per draw: forwards sums, then candidates from the last to the first.

    `model` has the exponentials of the steps in place of their weights. False if the sums underflow.
    """
    longest, most, places = _sizes(model)
    corpus, candidates, _, factors = model
    offsets, symbols, _, _ = corpus
    first, classes, _, _ = candidates
    scores, forward, shares = np.empty((longest, places)), np.empty((longest, most)), np.empty(most)
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        for t in range(length):
            start = first[symbols[begin + t]]
            n_here = first[symbols[begin + t] + 1] - start
            before = first[symbols[begin + t - 1]] if t > 0 else 0
            largest = -np.inf
            for c in range(n_here):
                largest = max(largest, scores[t, c])
            total = 0.0
            for c in range(n_here):
                value = 1.0
                if t > 0:
                    value = 0.0
                    for a in range(first[symbols[begin + t - 1] + 1] - before):
                        value += forward[t - 1, a] * factors[classes[before + a], classes[start + c]]
                forward[t, c] = value * np.exp(scores[t, c] - largest)
                total += forward[t, c]
            if not (0.0 < total < np.inf):
                return False
            for c in range(n_here):
                forward[t, c] /= total
        for s in range(len(drawn)):
            for t in range(length - 1, -1, -1):
                start = first[symbols[begin + t]]
                n_here = first[symbols[begin + t] + 1] - start
                total = 0.0
                for c in range(n_here):
                    shares[c] = forward[t, c]
                    if t < length - 1:
                        after = first[symbols[begin + t + 1]] + drawn[s, begin + t + 1]
                        shares[c] *= factors[classes[start + c], classes[after]]
                    total += shares[c]
                rest = uniforms[s, begin + t] * total
                place = 0
                while place < n_here - 1 and rest >= shares[place]:
                    rest -= shares[place]
                    place += 1
                drawn[s, begin + t] = place
    return True
