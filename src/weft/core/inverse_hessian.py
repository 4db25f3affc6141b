"""The inverse Hessian that L-BFGS makes of its last steps, in two passes over them.

A pair is a step s and the change y of the gradient along it. The recursion that multiplies by the inverse (Nocedal
1980) goes over all pairs twice, one product and one sum of whole vectors at a time. Every vector that it meets is a sum
of pairs and of the vector g that it began with, so it can as well run over the coefficients of such sums, for which the
inner products of all pairs with each other and with g suffice (Chen, Wang and Zhou 2014). One pass over memory makes
the products, those of the newest pair among them, and another one the sum.

Pairs are kept at unit length, which changes nothing: with s = |s| u, y = |y| v and c = u . v the recursion is

    a = u . q / c,  q -= a v   from the newest pair to the oldest,
    r = c |s| / |y| q          by the newest pair,
    r += (a |s| / |y| - v . r / c) u   from the oldest to the newest.

Of many weights they are kept in single precision, half the memory and half the time. The inverse is only a model, and
that of the pairs as they are kept: products and sums are those of double precision, as is everything else of a solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.array_checks import checked_numbers
from weft.core.jit import jit_fast
from weft.core.lent_vectors import LentVectors
from weft.core.vectors import SHORT, is_short, product
from weft.errors import InputError

MANY_WEIGHTS = 2**16
"""From so many weights on, pairs are kept in single precision."""
LEAST_COSINE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-6}
"""A pair whose directions are nearer to a right angle, for what they are kept in, says nothing of the curvature."""
BLOCK = 4096
"""Weights at a time: so many of each of a few vectors fit into a near cache."""


def pair_products(
    point: Floats, next_point: Floats, gradient: Floats, next_gradient: Floats
) -> tuple[float, float, float]:
    """``s . s``, ``y . y`` and ``s . y`` of a step between two points."""
    if is_short(point, next_point, gradient, next_gradient):
        step, change = next_point - point, next_gradient - gradient
        return product(step, step), product(change, change), product(step, change)
    return _pair_products(point, next_point, gradient, next_gradient)


@jit_fast
def _pair_products(point: Any, next_point: Any, gradient: Any, next_gradient: Any) -> tuple[float, float, float]:
    of_step, of_change, of_both = 0.0, 0.0, 0.0
    for i in range(len(point)):
        step, change = next_point[i] - point[i], next_gradient[i] - gradient[i]
        of_step += step * step
        of_change += change * change
        of_both += step * change
    return of_step, of_change, of_both


@jit_fast
def _put_difference(left: Any, right: Any, factor: float, target: Any) -> None:
    for i in range(len(target)):
        target[i] = factor * (left[i] - right[i])


@jit_fast
def _products(rows: Any, order: Any, vector: Any, results: Any) -> None:
    """Inner products of rows with the last two of them and with a vector, into the columns of `results`.

    Two rows at a time share what is read of the three.
    """
    results[:] = 0.0
    last = len(order) - 1
    first, second = np.empty(BLOCK), np.empty(BLOCK)
    for begin in range(0, len(vector), BLOCK):
        size = min(BLOCK, len(vector) - begin)
        third = vector[begin : begin + size]
        one, other = rows[order[last - 1], begin : begin + size], rows[order[last], begin : begin + size]
        for i in range(size):
            first[i], second[i] = one[i], other[i]
        for k in range(0, last, 2):
            one, other = rows[order[k], begin : begin + size], rows[order[k + 1], begin : begin + size]
            a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(size):
                left, right = np.float64(one[i]), np.float64(other[i])
                a += left * first[i]
                b += left * second[i]
                c += left * third[i]
                d += right * first[i]
                e += right * second[i]
                f += right * third[i]
            results[k, 0] += a
            results[k, 1] += b
            results[k, 2] += c
            results[k + 1, 0] += d
            results[k + 1, 1] += e
            results[k + 1, 2] += f


@jit_fast
def _combination(rows: Any, order: Any, factors: Any, factor: float, vector: Any, result: Any) -> float:
    """``factor * vector`` and ``factors[k] * rows[order[k]]`` for all k, summed; returns its product with `vector`.

    Two rows at a time, for fewer reads of the sum.
    """
    product = 0.0
    for begin in range(0, len(vector), BLOCK):
        end = min(begin + BLOCK, len(vector))
        source, target = vector[begin:end], result[begin:end]
        for i in range(len(target)):
            target[i] = factor * source[i]
        for k in range(0, len(order), 2):
            one, other = rows[order[k], begin:end], rows[order[k + 1], begin:end]
            left, right = factors[k], factors[k + 1]
            for i in range(len(target)):
                target[i] += left * one[i] + right * other[i]
        for i in range(len(target)):
            product += target[i] * source[i]
    return product


class InverseHessian:
    """The inverse Hessian of limited memory, and the directions of descent that it gives.

    Parameters
    ----------
    memory : int
        Pairs that are kept at the most.
    size : int
        Number of weights.

    Examples
    --------
    >>> inverse = InverseHessian(memory=5, size=2)
    >>> inverse.update(np.zeros(2), np.array([1.0, 0.0]), np.zeros(2), np.array([4.0, 0.0]))
    >>> inverse.descend(np.array([4.0, 4.0]))
    (array([-1., -1.]), -8.0)
    """

    def __init__(self, memory: int, size: int) -> None:
        self.is_short = size < SHORT
        self.rows = np.empty((2 * memory, size), dtype=np.float32 if size >= MANY_WEIGHTS else np.float64)
        self.products = np.zeros((2 * memory, 2 * memory))
        self.directions = LentVectors()
        self.forget()

    def __len__(self) -> int:
        return len(self.slots)

    def forget(self) -> None:
        """Begin anew, with the identity."""
        self.slots: list[int] = []  # rows of the steps, the oldest first; each change is in the row after its step
        self.ratios: list[float] = []
        self.is_new = False

    def update(self, point: Floats, next_point: Floats, gradient: Floats, next_gradient: Floats) -> None:
        """Learn from a step, unless it says nothing of the curvature, or that there is none."""
        of_step, of_change, of_both = pair_products(point, next_point, gradient, next_gradient)
        sizes = of_step**0.5, of_change**0.5
        if not of_both > LEAST_COSINE[self.rows.dtype] * sizes[0] * sizes[1]:
            return  # not convex along this step, or no step at all: keep the old model
        slot = 2 * len(self.slots)
        if slot == len(self.rows):
            slot = self.slots.pop(0)
            self.ratios.pop(0)
        self.slots.append(slot)
        self.ratios.append(sizes[0] / sizes[1])
        if self.is_short:
            self.rows[slot] = (next_point - point) / sizes[0]
            self.rows[slot + 1] = (next_gradient - gradient) / sizes[1]
        else:
            _put_difference(next_point, point, 1.0 / sizes[0], self.rows[slot])
            _put_difference(next_gradient, gradient, 1.0 / sizes[1], self.rows[slot + 1])
        self.is_new = True

    def descend(self, gradient: Floats) -> tuple[Floats, float]:
        """Minus the inverse times a gradient, and its product with the gradient: the slope along it."""
        if gradient.shape != self.rows.shape[1:]:
            raise InputError(
                f"a vector of shape {gradient.shape} given; need {self.rows.shape[1:]}: one number per weight"
            )
        order = np.array([row for slot in self.slots for row in (slot, slot + 1)], dtype=np.int64)
        factors, factor = np.zeros(len(order)), 1.0
        if self.slots:
            with_gradient = self._with(gradient, order)
            products = self.products[np.ix_(order, order)]
            cosines, ratios = np.diagonal(products, 1)[::2], self.ratios
            shares = np.zeros(len(ratios))
            for k in range(len(ratios) - 1, -1, -1):
                shares[k] = (with_gradient[2 * k] + factors @ products[2 * k]) / cosines[k]
                factors[2 * k + 1] -= shares[k]
            factor = cosines[-1] * ratios[-1]
            factors *= factor
            for k in range(len(ratios)):
                turn = factor * with_gradient[2 * k + 1] + factors @ products[2 * k + 1]
                factors[2 * k] += shares[k] * ratios[k] - turn / cosines[k]
        if self.is_short:
            direction = -factor * gradient - np.einsum("k,ki->i", factors[np.argsort(order)], self.rows[: len(order)])
            return direction, product(direction, gradient)
        direction = self.directions.take(len(gradient))
        return direction, _combination(self.rows, order, -factors, -factor, gradient, direction)

    def _with(self, gradient: Floats, order: Integers) -> Floats:
        """Inner products of all rows with a gradient; those with the newest pair are noted on the way."""
        results = np.empty((len(order), 3))
        if self.is_short:
            newest_and_gradient = np.vstack((self.rows[order[-2:]], gradient))
            results[:] = np.einsum("ki,ji->kj", self.rows[: len(order)], newest_and_gradient)[order]
        else:
            _products(self.rows, order, gradient, results)
        if self.is_new:
            self.products[order[:, None], order[-2:]] = results[:, :2]
            self.products[order[-2:, None], order] = results[:, :2].T
            self.is_new = False
        return results[:, 2]

    def state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a checkpoint keeps: arrays, which go on changing, and plain values."""
        facts = {"slots": list(self.slots), "ratios": list(self.ratios), "is_new": self.is_new}
        return {"pairs": self.rows[: 2 * len(self.slots)], "products": self.products}, facts

    def restore(self, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        """Go on from a `state`."""
        self.rows[: len(arrays["pairs"])], self.products[:] = arrays["pairs"], arrays["products"]
        slots = checked_numbers("slots", facts["slots"], len(arrays["pairs"]), "remove the file of the interrupted run")
        self.slots, self.ratios, self.is_new = slots.tolist(), list(facts["ratios"]), facts["is_new"]
