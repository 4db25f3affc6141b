"""All alignments of a small pair, by recursion, and their features, counted by hand."""

import numpy as np


def all_moves(n, m):
    """Every sequence of moves that consumes n and m symbols."""
    if n == m == 0:
        return [()]
    found = []
    if n and m:
        found += [(*moves, 0) for moves in all_moves(n - 1, m - 1)]
    if n:
        found += [(*moves, 1) for moves in all_moves(n - 1, m)]
    if m:
        found += [(*moves, 2) for moves in all_moves(n, m - 1)]
    return found


def aligned(moves):
    """Positions that an alignment pairs."""
    i = j = 0
    found = []
    for move in moves:
        if move == 0:
            found.append((i, j))
        i += move != 2
        j += move != 1
    return found


def feature_vector(structure, pair, moves):
    counts = dict.fromkeys(structure.feature_names, 0.0)
    for i, j in aligned(moves):
        a, b = pair[0][i], pair[1][j]
        if structure.model == "match":
            counts["match" if a == b else "mismatch"] += 1
        else:
            counts[(a, b) if (a, b) in counts else (b, a)] += 1
    for k, move in enumerate(moves):
        if move:
            extends = k > 0 and moves[k - 1] == move
            counts["gap" if structure.gaps == "linear" else "gap extend" if extends else "gap open"] += 1
    return np.array(list(counts.values()))
