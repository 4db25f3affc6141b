"""Compiled loops of the averaged perceptron over candidate chains.

Nearly all of its time goes into weights that lie somewhere in memory. So they are laid out as they are met (`lay_out`):
entries of contexts in the order in which sequences first have them, so that those of rare contexts are neighbours; and
contexts that speak for many traits, which any symbol may have, as rows with a place for every trait.

Entries are here ``(places, weights, shared)``: a context has the entries from its code on, up to the one whose place is
marked as the last (~place); or, with a negative code, the row ``shared[-1 - code]`` of weights for all traits.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.core.ties import TIE_TOLERANCE
from weft.rewriting.candidates.loops.chains import _most_candidates, _viterbi

__all__ = ["lay_out", "perceptron_candidates"]

LANES = 4
"""Traits that are added at once; a context with an entry for every fourth trait or more gets a row."""
UNMET = -(1 << 31)


@jit
def lay_out(context_offsets, contexts, entry_offsets, entry_places, most, n_traits):
    """Where entries are to lie.

    Returns
    -------
    rows, codes : ndarrays
        Codes of the contexts of each position; those without entries are left out.
    where : ndarray
        Place of each entry, -1 if no position has its context. Rows follow after the other entries.
    places : ndarray
        Of the entries that are in no row.
    n_shared : int
        Number of rows.
    """
    width = -(-n_traits // LANES) * LANES
    n_contexts = len(entry_offsets) - 1
    code_of = np.full(n_contexts, UNMET, dtype=np.int32)
    rows = np.zeros(len(context_offsets), dtype=np.int64)
    codes = np.empty(len(contexts), dtype=np.int32)
    where = np.full(len(entry_places), -1, dtype=np.int64)
    places = np.empty(len(entry_places), dtype=np.int16)
    n_codes, n_single, n_shared = 0, 0, 0
    for t in range(len(context_offsets) - 1):
        for k in range(context_offsets[t], context_offsets[t + 1]):
            context = contexts[k]
            begin, end = entry_offsets[context], entry_offsets[context + 1]
            if begin == end:
                continue
            if code_of[context] == UNMET:
                if entry_places[begin] >= most and LANES * (end - begin) >= n_traits:
                    n_shared += 1
                    code_of[context] = -n_shared
                else:
                    code_of[context] = n_single
                    for e in range(begin, end):
                        where[e] = n_single
                        places[n_single] = entry_places[e]
                        n_single += 1
                    places[n_single - 1] = ~places[n_single - 1]
            codes[n_codes] = code_of[context]
            n_codes += 1
        rows[t + 1] = n_codes
    for context in range(n_contexts):
        if UNMET < code_of[context] < 0:
            for e in range(entry_offsets[context], entry_offsets[context + 1]):
                where[e] = n_single + (-1 - code_of[context]) * width + entry_places[e] - most
    return rows, codes[:n_codes], where, places[:n_single], n_shared


@jit_inline
def _score_laid_out(model, begin, length, scores, most):
    """As `_score` of chains, and to the last digit the same."""
    corpus, candidates, entries, _ = model
    _, symbols, rows, codes = corpus
    first, _, trait_offsets, traits = candidates
    places, weights, shared, _ = entries
    width = shared.shape[1]
    for t in range(length):
        row = scores[t]
        of_traits = row[most:]
        symbol = symbols[begin + t]
        row[:] = 0.0
        for k in range(rows[begin + t], rows[begin + t + 1]):
            e = codes[k]
            if e < 0:
                more = shared[-1 - e]
                for trait in range(width):
                    of_traits[trait] += more[trait]
            else:
                while places[e] >= 0:
                    row[places[e]] += weights[e]
                    e += 1
                row[~places[e]] += weights[e]
        for c in range(first[symbol + 1] - first[symbol]):
            candidate = first[symbol] + c
            for k in range(trait_offsets[candidate], trait_offsets[candidate + 1]):
                row[c] += row[most + traits[k]]


@jit_inline
def _update(model, t, place, change, clock, totals, most, marked, own_traits):
    """Add `change` to the weights of one candidate at one position."""
    corpus, candidates, entries, _ = model
    _, symbols, rows, codes = corpus
    first, _, trait_offsets, traits = candidates
    places, weights, shared, is_entry = entries
    single_totals, shared_totals = totals
    candidate = first[symbols[t]] + place
    n_traits = 0
    marked[place] = True
    for k in range(trait_offsets[candidate], trait_offsets[candidate + 1]):
        if not marked[most + traits[k]]:
            marked[most + traits[k]] = True
            own_traits[n_traits] = traits[k]
            n_traits += 1
    for k in range(rows[t], rows[t + 1]):
        e = codes[k]
        if e < 0:
            row = -1 - e
            for j in range(n_traits):
                trait = own_traits[j]
                if is_entry[row, trait]:
                    shared[row, trait] += change
                    shared_totals[row, trait] += clock * change
            continue
        is_last = False
        while not is_last:
            is_last = places[e] < 0
            if marked[~places[e] if is_last else places[e]]:
                weights[e] += change
                single_totals[e] += clock * change
            e += 1
    marked[place] = False
    for j in range(n_traits):
        marked[most + own_traits[j]] = False


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
def perceptron_candidates(order, model, gold, sample_weight, clock, totals, transition_totals, size, early):
    """One pass of the averaged perceptron over the sequences in `order`; clock and number of wrong positions.

    `model` is laid out, and `totals` are like its weights and shared weights; `size` is the mean size of weights. With
    `early` a step is made on the prefix at which the reference is lost, and what follows is not counted.
    """
    corpus, candidates, entries, transitions = model
    offsets, symbols, _, _ = corpus
    first, classes, _, _ = candidates
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    most, width = _most_candidates(first), entries[2].shape[1]
    scores, best = np.empty((longest, most + width)), np.empty((longest, most))
    marked, own_traits = np.zeros(most + width, dtype=np.bool_), np.empty(width, dtype=np.int64)
    paths = np.empty(longest, dtype=np.int16)
    n_wrong = 0
    for i in order:
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        _score_laid_out(model, begin, length, scores, most)
        if early:
            length = _length_in_play(model, begin, length, scores, gold, best)
        path = paths[:length]
        _viterbi(model, begin, length, scores, best, path, size)
        change = sample_weight[i]
        for t in range(length):
            wanted, found = gold[begin + t], path[t]
            if wanted != found:
                n_wrong += 1
                _update(model, begin + t, wanted, change, clock, totals, most, marked, own_traits)
                _update(model, begin + t, found, -change, clock, totals, most, marked, own_traits)
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
