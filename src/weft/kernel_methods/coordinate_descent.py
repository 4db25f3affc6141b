"""Compiled passes of dual coordinate descent (LK Algorithm 2) over sparse rows.

The rows are the feature vectors of the examples without their signs. Column numbers of 32 bits and values of 32 bits
make a stored entry half as long as LIBLINEAR's, and reading entries is what a pass spends its time on.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_fast

__all__ = ["PROGRESS_SIZE", "passes", "row_norms", "weighted_sum"]

# Places in the array that carries a run from one call to the next.
ACTIVE, LARGEST, SMALLEST, CONVERGED, SEEN_LARGEST, SEEN_SMALLEST = 0, 1, 2, 3, 4, 5
PROGRESS_SIZE = 6

NEGLIGIBLE = 1e-12
"""A projected gradient below this moves nothing, as in LIBLINEAR."""


@jit_fast
def row_norms(indptr, values):
    """Squared norm of each row: the diagonal of the kernel matrix."""
    n_rows = len(indptr) - 1
    norms = np.zeros(n_rows)
    for i in range(n_rows):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += float(values[k]) * float(values[k])
        norms[i] = total
    return norms


@jit
def weighted_sum(indptr, columns, values, coefficients, weights):
    """Add each row, times its coefficient, to `weights`: W' from the dual variables (LK section 5.1)."""
    for i in range(len(coefficients)):
        coefficient = coefficients[i]
        if coefficient != 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                weights[columns[k]] += coefficient * values[k]


@jit_fast
def dot(columns, values, weights):
    """Product of a sparse row and the weights; reordered sums keep several entries on their way at once."""
    total = 0.0
    for k in range(len(columns)):
        total += weights[columns[k]] * values[k]
    return total


@jit
def passes(
    indptr, columns, values, signs, upper, diagonal, curvature, alpha, weights, order, random, progress, tol, n_passes
):
    """At most `n_passes` passes of coordinate descent; changes alpha, weights, order, random and progress.

    `order` holds the examples that take part, the active ones first; `progress` what a pass needs of the one before.
    Returns the number of passes; ``progress[CONVERGED]`` is 1 when the stopping rule holds for all examples.
    """
    n_rows = len(order)
    done = 0
    while done < n_passes and progress[CONVERGED] == 0.0:
        active = int(progress[ACTIVE])
        largest_before, smallest_before = progress[LARGEST], progress[SMALLEST]
        largest, smallest = -np.inf, np.inf
        state = random[0]
        place = 0
        while place < active:
            # One step of Fisher and Yates' shuffle, by xorshift (Marsaglia 2003): the order of this pass is random.
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = place + int(((state >> np.uint64(32)) * np.uint64(active - place)) >> np.uint64(32))
            i = order[other]
            order[other] = order[place]
            order[place] = i
            row_columns, row_values = columns[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
            old = alpha[i]
            # Gradient of the dual objective, LK (2): D(Phi'_i o W') - 1, and D_ii alpha_i for the squared hinge.
            gradient = signs[i] * dot(row_columns, row_values, weights) - 1.0 + diagonal[i] * old
            projected = gradient
            if old <= 0.0:
                if gradient > largest_before:  # will hardly leave its bound: out of the active part
                    active -= 1
                    order[place] = order[active]
                    order[active] = i
                    continue
                projected = min(gradient, 0.0)
            elif old >= upper[i]:
                if gradient < smallest_before:
                    active -= 1
                    order[place] = order[active]
                    order[active] = i
                    continue
                projected = max(gradient, 0.0)
            largest, smallest = max(largest, projected), min(smallest, projected)
            if abs(projected) > NEGLIGIBLE:
                if curvature[i] > 0.0:
                    new = min(max(old - gradient / curvature[i], 0.0), upper[i])
                else:  # Q_ii = 0: the gradient is -1 whatever alpha is, so alpha goes to its bound
                    new = upper[i]
                alpha[i] = new
                step = (new - old) * signs[i]
                if step != 0.0:
                    for k in range(len(row_columns)):
                        weights[row_columns[k]] += step * row_values[k]
            place += 1
        random[0] = state
        done += 1
        progress[SEEN_LARGEST], progress[SEEN_SMALLEST] = largest, smallest
        if largest - smallest <= tol:
            if active == n_rows:
                progress[CONVERGED] = 1.0
            # Converged on the active part: the next pass looks at every example again.
            active, largest, smallest = n_rows, np.inf, -np.inf
        progress[ACTIVE] = active
        progress[LARGEST] = largest if largest > 0.0 else np.inf
        progress[SMALLEST] = smallest if smallest < 0.0 else -np.inf
    return done
