"""Words that change classes one by one, each to the class that makes the text most probable.

With ``N[g, h]`` the number of times that a word of class h follows one of class g, ``n[g]`` the words of class g and
``f(x) = x ln x``, the logarithm of the text's probability by the classes of neighbours is ``sum f(N) - 2 sum f(n)`` and
a constant (Kneser and Ney 1993). Values of f are whole numbers from a table, so that sums are exact in any order.
"""

from weft.core.jit import jit


@jit
def _add_word(change, word, own, shares, n_pairs, sizes, counts):
    """Add `change` times a word to the class `own`: `n_pairs[0]` has pairs of classes, `n_pairs[1]` is transposed."""
    for side in range(2):
        for other in range(len(sizes)):
            share = change * shares[side, other]
            if share != 0:
                first, second = (own, other) if side == 0 else (other, own)
                n_pairs[0, first, second] += share
                n_pairs[1, second, first] += share
    n_pairs[0, own, own] += change * counts[1, word]
    n_pairs[1, own, own] += change * counts[1, word]
    sizes[own] += change * counts[0, word]


@jit
def _gains(word, shares, n_pairs, sizes, counts, values, gains):
    """What the objective gains if a word that is in no class joins each of those that words may join."""
    for own in range(len(gains)):
        gains[own] = 2 * (values[sizes[own]] - values[sizes[own] + counts[0, word]])
    for side in range(2):
        for other in range(len(sizes)):
            share = shares[side, other]
            if share > 0:
                row = n_pairs[1 - side, other]
                for own in range(len(gains)):
                    gains[own] += values[row[own] + share] - values[row[own]]
    for own in range(len(gains)):  # pairs within the class: both sides and repeats of the word come to one entry
        before = n_pairs[0, own, own]
        joint = before + shares[0, own] + shares[1, own] + counts[1, word]
        gains[own] += values[joint] - values[before + shares[0, own]] - values[before + shares[1, own]] + values[before]


@jit
def exchange(offsets, neighbours, times, counts, values, classes, n_pairs, sizes, shares, gains):
    """Give each word in turn the best class; how many changed theirs, which stay where they are on a tie.

    Row 0 of `offsets`, `neighbours` and `times` is about what follows a word, row 1 about what comes before it, both
    without the word itself; rows of `counts` are all occurrences of words, and those right after themselves. The last
    words of `classes` have no row of their own and stay.
    """
    n_changed = 0
    for word in range(counts.shape[1]):
        shares[:] = 0
        for side in range(2):
            for place in range(offsets[side, word], offsets[side, word + 1]):
                shares[side, classes[neighbours[side, place]]] += times[side, place]
        own = classes[word]
        _add_word(-1, word, own, shares, n_pairs, sizes, counts)
        _gains(word, shares, n_pairs, sizes, counts, values, gains)
        best = own
        for other in range(len(gains)):
            if gains[other] > gains[best]:
                best = other
        _add_word(1, word, best, shares, n_pairs, sizes, counts)
        if best != own:
            classes[word] = best
            n_changed += 1
    return n_changed
