"""One pass of block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013) over chains of candidates.

The dual variables of a sequence are shares of whole labellings, at most one more after each pass: steps between classes
are far too many to keep an expected count of each.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.core.ties import mean_size
from weft.rewriting.candidates.loops.chains import _score, _sizes, _viterbi

__all__ = ["frank_wolfe_candidates"]

NOTHING = 1e-12
"""A difference of shares below this is rounding."""


@jit_inline
def _touch(feature, value, scratch, mark, n_touched):
    """Add to one feature of the difference; how many features it has now."""
    values, stamps, touched = scratch
    if stamps[feature] != mark:
        stamps[feature] = mark
        values[feature] = 0.0
        touched[n_touched] = feature
        n_touched += 1
    values[feature] += value
    return n_touched


@jit_inline
def _add_path(model, begin, path, share, n_entries, difference, scratch, mark, n_touched):
    """Add the share of a labelling to the difference: candidates by position, and features of steps."""
    corpus, candidates, _, transitions = model
    symbols = corpus[1]
    first, classes, _, _ = candidates
    for t in range(len(path)):
        difference[t, path[t]] += share
        if t > 0:
            before = classes[first[symbols[begin + t - 1]] + path[t - 1]]
            here = classes[first[symbols[begin + t]] + path[t]]
            feature = n_entries + before * transitions.shape[1] + here
            n_touched = _touch(feature, share, scratch, mark, n_touched)
    return n_touched


@jit_inline
def _add_contexts(model, begin, length, most, difference, scratch, mark, n_touched):
    """Add the features of contexts to the difference, from the candidates of each position."""
    corpus, candidates, entries, _ = model
    _, symbols, context_offsets, contexts = corpus
    first, _, trait_offsets, traits = candidates
    entry_offsets, entry_places, _ = entries
    for t in range(length):
        row = difference[t]
        start = first[symbols[begin + t]]
        differs = False
        for c in range(first[symbols[begin + t] + 1] - start):
            if abs(row[c]) > NOTHING:
                differs = True
                for k in range(trait_offsets[start + c], trait_offsets[start + c + 1]):
                    row[most + traits[k]] += row[c]
        if not differs:
            continue
        for k in range(context_offsets[begin + t], context_offsets[begin + t + 1]):
            for e in range(entry_offsets[contexts[k]], entry_offsets[contexts[k] + 1]):
                if abs(row[entry_places[e]]) > NOTHING:
                    n_touched = _touch(e, row[entry_places[e]], scratch, mark, n_touched)
    return n_touched


@jit
def frank_wolfe_candidates(order, model, weights, gold, strength, dual, scratch):
    """Visit the sequences in `order`: one Frank-Wolfe step with exact line search each.

    Parameters
    ----------
    order : ndarray of int
    model : tuple
        As in `chains`, made of views of `weights`.
    weights : ndarray of shape (n_features,)
        Changes in place.
    gold : ndarray of int16
    strength : ndarray of shape (n_sequences,)
        C times the sample weight of each sequence.
    dual : (paths, shares, losses)
        (n_slots, n_positions) labellings, (n_sequences, n_slots) how much of the dual each has, with at least one slot
        free, and (n_sequences,) expected losses.
    scratch : (values, stamps, touched)
        Arrays of length n_features; stamps are -1.

    Returns
    -------
    float
        Sum of the block gaps, each at the weights of its visit: the duality gap once the weights stand still.
    """
    paths, shares, losses = dual
    values, _, touched = scratch
    longest, most, n_places = _sizes(model)
    offsets, symbols, _, _ = model[0]
    first = model[1][0]
    n_entries = len(model[2][1])
    scores, best = np.empty((longest, n_places)), np.empty((longest, most))
    buffer = np.empty((longest, n_places))
    found = np.empty(longest, dtype=np.int16)
    total = 0.0
    size = mean_size(model[2][2])
    for i in order:
        if strength[i] <= 0.0:
            continue
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score(model, begin, length, scores)
        for t in range(length):
            for c in range(first[symbols[begin + t] + 1] - first[symbols[begin + t]]):
                if c != gold[begin + t]:
                    scores[t, c] += 1.0
        path = found[:length]
        _viterbi(model, begin, length, scores, best, path, size)
        loss = 0.0
        for t in range(length):
            loss += path[t] != gold[begin + t]
        # d = E[phi] - phi(path): the direction from the dual variables towards the path.
        difference = buffer[:length]
        difference[:, :] = 0.0
        n_touched, slot = 0, -1
        for k in range(len(paths)):
            if shares[i, k] > 0.0:
                kept = paths[k, begin : begin + length]
                n_touched = _add_path(model, begin, kept, shares[i, k], n_entries, difference, scratch, i, n_touched)
                same = True
                for t in range(length):
                    same = same and kept[t] == path[t]
                if same:
                    slot = k
        n_touched = _add_path(model, begin, path, -1.0, n_entries, difference, scratch, i, n_touched)
        n_touched = _add_contexts(model, begin, length, most, difference, scratch, i, n_touched)
        squared, change = 0.0, 0.0
        for k in range(n_touched):
            squared += values[touched[k]] ** 2
            change += values[touched[k]] * weights[touched[k]]
        gap = strength[i] * (loss - losses[i] - change)
        total += max(gap, 0.0)
        if gap <= 0.0:
            continue
        # Without a difference of features nothing but the loss changes, the more the better.
        step = min(gap / (strength[i] ** 2 * squared), 1.0) if squared > NOTHING else 1.0
        for k in range(n_touched):
            weights[touched[k]] += step * strength[i] * values[touched[k]]
        shares[i] *= 1.0 - step
        if slot < 0:
            slot = int(np.argmin(shares[i]))  # one is zero and free
            shares[i, slot] = 0.0
            paths[slot, begin : begin + length] = path
        shares[i, slot] += step
        losses[i] += step * (loss - losses[i])
    return total
