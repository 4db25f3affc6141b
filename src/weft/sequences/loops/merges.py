"""Classes of words merged two by two, each time those whose merger keeps the text most probable.

With N and f as in `exchange`, ``l`` and ``r`` the sums of rows and columns of N, the text loses least by merging those
two classes for which ``sum f(N) - sum f(l) - sum f(r)`` falls least (Brown et al. 1992). What a pair gains is a sum
over all classes beside it, and one merger changes the terms of two of these, so that all mergers of C classes take time
in the order of C^3. Values of f are whole numbers, so that sums kept this way stay exact.
"""

from weft.core.jit import jit


@jit
def _term(n_pairs, values, i, j, k):
    """What merging i and j gains by the pairs that they make with another class."""
    one, two = n_pairs[i, k], n_pairs[j, k]
    found = values[one + two] - values[one] - values[two]
    one, two = n_pairs[k, i], n_pairs[k, j]
    return found + values[one + two] - values[one] - values[two]


@jit
def _gain(n_pairs, values, alive, i, j):
    """What the objective gains, mostly less than nothing, if i and j are merged."""
    among = n_pairs[i, i], n_pairs[i, j], n_pairs[j, i], n_pairs[j, j]
    found = values[among[0] + among[1] + among[2] + among[3]]
    for each in among:
        found -= values[each]
    rows, columns = [0, 0], [0, 0]
    for k in range(len(n_pairs)):
        if alive[k]:
            for place, own in enumerate((i, j)):
                rows[place] += n_pairs[own, k]
                columns[place] += n_pairs[k, own]
            if k != i and k != j:
                found += _term(n_pairs, values, i, j, k)
    for sums in (rows, columns):
        found -= values[sums[0] + sums[1]] - values[sums[0]] - values[sums[1]]
    return found


@jit
def merge(n_pairs, values, alive, gains, merged):
    """Merge all classes but the fixed ones, which come last; a row of `merged` has the two of each step, lower first.

    `n_pairs` counts pairs of neighbours by their classes and is changed; `gains` has room for each pair that may be
    merged. Of equal pairs the first is taken.
    """
    n, n_free = len(n_pairs), len(merged) + 1
    for i in range(n_free):
        for j in range(i + 1, n_free):
            gains[i, j] = _gain(n_pairs, values, alive, i, j)
    for step in range(len(merged)):
        first, second = -1, -1
        for i in range(n_free):
            if alive[i]:
                for j in range(i + 1, n_free):
                    if alive[j] and (first < 0 or gains[i, j] > gains[first, second]):
                        first, second = i, j
        merged[step, 0], merged[step, 1] = first, second
        for i in range(n_free):  # the two are no longer beside the others ...
            if alive[i] and i != first and i != second:
                for j in range(i + 1, n_free):
                    if alive[j] and j != first and j != second:
                        gains[i, j] -= _term(n_pairs, values, i, j, first) + _term(n_pairs, values, i, j, second)
        for k in range(n):
            n_pairs[first, k] += n_pairs[second, k]
        for k in range(n):
            n_pairs[k, first] += n_pairs[k, second]
        alive[second] = False
        for i in range(n_free):  # ... but both in one
            if alive[i] and i != first:
                for j in range(i + 1, n_free):
                    if alive[j] and j != first:
                        gains[i, j] += _term(n_pairs, values, i, j, first)
                low, high = min(i, first), max(i, first)
                gains[low, high] = _gain(n_pairs, values, alive, low, high)
