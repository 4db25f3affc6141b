"""Rows of numbers of attributes without those that are unknown."""

from weft.core.jit import jit


@jit
def keep_known(ids, counts, n_columns, offsets):
    """Move the known ids, those that are not negative, to the front, and write where each row of them begins.

    Returns
    -------
    int
        How many there are; -1 if one is no column, or if the rows do not have as many ids as there are.
    """
    place, begin, largest = 0, 0, -1
    offsets[0] = 0
    for t in range(len(counts)):
        end = begin + counts[t]
        if counts[t] < 0 or end > len(ids):
            return -1
        for k in range(begin, end):
            number = ids[k]
            ids[place] = number
            place += 1 if number >= 0 else 0
            largest = max(largest, number)
        begin = end
        offsets[t + 1] = place
    return place if begin == len(ids) and largest < n_columns else -1
