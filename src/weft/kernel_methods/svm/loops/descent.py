"""Compiled passes of dual coordinate descent (LK Algorithm 2) over sparse rows.

The rows are the feature vectors of the examples without their signs. Column numbers of 32 bits and values of 32 bits
make a stored entry half as long as LIBLINEAR's, and reading entries is what a pass spends its time on.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_fast

# Places in the array that carries a run from one call to the next.
ACTIVE, LARGEST, SMALLEST, CONVERGED, SCALE = 0, 1, 2, 3, 4
PROGRESS_SIZE = 5

NEGLIGIBLE = 1e-12
"""A projected gradient below this moves nothing, as in LIBLINEAR."""
RESTING = 0.1
"""Examples whose projected gradient is below this part of the largest one rest until the next pass."""
INNER = 0.5
"""The active examples converge to this part of the tolerance before all are looked at again."""


@jit_fast
def row_norms(indptr, values, products):
    """Squared norm of each row: the diagonal of the kernel matrix."""
    n_rows = len(indptr) - 1
    norms = np.zeros(n_rows)
    for i in range(n_rows):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += np.float64(values[k]) * np.float64(products[k])
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
def row_products(indptr, columns, values, weights):
    """Product of each row and the weights."""
    products = np.empty(len(indptr) - 1)
    for i in range(len(products)):
        products[i] = dot(columns[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]], weights)
    return products


@jit
def look(
    indptr, columns, values, products, signs, upper, diagonal, curvature, alpha, weights, order, random,
    active, awake, rest_below, largest_before, smallest_before,
):  # fmt: skip
    """Visit the examples ``order[:awake]`` once, in random order, and move the alpha of each to its optimum.

    Those at a bound that they will hardly leave go behind the active ones, and those whose projected gradient is
    smaller than `rest_below` behind the awake ones. Returns the largest and the smallest projected gradient, and how
    many examples are active and awake.
    """
    largest, smallest = -np.inf, np.inf
    state = random[0]
    place = 0
    while place < awake:
        # One step of Fisher and Yates' shuffle, by xorshift (Marsaglia 2003): the order of this pass is random.
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        other = place + int(((state >> np.uint64(32)) * np.uint64(awake - place)) >> np.uint64(32))
        i = order[other]
        order[other] = order[place]
        order[place] = i
        row_columns = columns[indptr[i] : indptr[i + 1]]
        old = alpha[i]
        # Gradient of the dual objective, LK (2): D(Phi'_i o W') - 1, and D_ii alpha_i for the squared hinge.
        gradient = signs[i] * dot(row_columns, products[indptr[i] : indptr[i + 1]], weights) - 1.0 + diagonal[i] * old
        if (old <= 0.0 and gradient > largest_before) or (old >= upper[i] and gradient < smallest_before):
            awake -= 1
            active -= 1
            order[place] = order[awake]
            order[awake] = order[active]
            order[active] = i
            continue
        projected = gradient
        if old <= 0.0:
            projected = min(gradient, 0.0)
        elif old >= upper[i]:
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
                row_values = values[indptr[i] : indptr[i + 1]]
                for k in range(len(row_columns)):
                    weights[row_columns[k]] += step * row_values[k]
        if abs(projected) < rest_below:
            awake -= 1
            order[place] = order[awake]
            order[awake] = i
        else:
            place += 1
    random[0] = state
    return largest, smallest, active, awake


@jit
def passes(
    indptr, columns, values, products, signs, upper, diagonal, curvature, alpha, weights, order, random,
    progress, tol, n_passes,
):  # fmt: skip
    """At most `n_passes` passes of coordinate descent; changes alpha, weights, order, random and progress.

    A pass visits every active example, then again and again those that moved much, until they do so no more or as
    many have been visited as are active: what rests hardly moves, and most of the time of plain passes goes into it.
    `order` holds the examples that take part, the active ones first; `progress` what a pass needs of the one before.
    An update adds `values`, a gradient multiplies `products`: equal, but for columns that stand for several. Returns
    the number of passes; ``progress[CONVERGED]`` is 1 when the stopping rule holds for all examples.
    """
    n_rows = len(order)
    done = 0
    while done < n_passes and progress[CONVERGED] == 0.0:
        active = int(progress[ACTIVE])
        largest, smallest, active, awake = look(
            indptr, columns, values, products, signs, upper, diagonal, curvature, alpha, weights, order, random,
            active, active, RESTING * progress[SCALE], progress[LARGEST], progress[SMALLEST],
        )  # fmt: skip
        done += 1
        if largest - smallest <= tol and active == n_rows:
            progress[CONVERGED] = 1.0
        elif largest - smallest <= INNER * tol:
            # Converged on the active part: the next pass looks at every example again.
            progress[ACTIVE], progress[LARGEST], progress[SMALLEST], progress[SCALE] = n_rows, np.inf, -np.inf, 0.0
        else:
            progress[LARGEST] = largest if largest > 0.0 else np.inf
            progress[SMALLEST] = smallest if smallest < 0.0 else -np.inf
            progress[SCALE] = max(largest, -smallest)
            enough = max(INNER * tol, RESTING * progress[SCALE])
            visits = active if awake < active else 0
            while visits > 0 and awake > 0 and largest - smallest > enough:
                visits -= awake
                largest, smallest, active, awake = look(
                    indptr, columns, values, products, signs, upper, diagonal, curvature, alpha, weights, order, random,
                    active, awake, 0.0, progress[LARGEST], progress[SMALLEST],
                )  # fmt: skip
            progress[ACTIVE] = active
    return done
