"""Which regressors a StringRegressor is made of: a kernel of inputs and lengths of output n-grams for each."""

from __future__ import annotations

from typing import Any

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernel_methods.ridge.regressor import as_kernel
from weft.kernels.base import Kernel
from weft.kernels.precomputed import PrecomputedKernel

Member = tuple[Kernel, list[int]]
NAME = "input_kernel"

VARIANTS = ((1, 3), (2, 3), (3, 3), (2, 2), (3, 2), (1, 2))
"""Lengths of input and output n-grams of regressors that vote."""


def choose_members(
    kernel: Any, default: Kernel | None, output_order: Any, n_regressors: Any, preimage: str
) -> list[Member]:
    """Kernel and lengths of output n-grams of each regressor.

    Parameters
    ----------
    kernel : kernel, list of kernels or None
    default : Kernel
        What None stands for.
    output_order, n_regressors, preimage
        See `StringRegressor`.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> choose_members(None, NGramKernel(2), 3, 1, "nearest")
    [(NGramKernel(n=2), [2, 3])]
    """
    n = checked_number("n_regressors", n_regressors)
    if isinstance(kernel, list | tuple):
        if n not in (1, len(kernel)) or not kernel:
            raise InputError(f"n_regressors={n} but {len(kernel)} kernels given; give as many kernels as regressors.")
        kernels = [as_kernel(each, NAME) for each in kernel]
        if any(isinstance(each, PrecomputedKernel) for each in kernels):
            raise InputError("input_kernel has 'precomputed' in a list; a Gram matrix is of one kernel: give it alone.")
        return [(each, _lengths(output_order, preimage)) for each in kernels]
    given = as_kernel(default if kernel is None else kernel, NAME)
    if n == 1:
        return [(given, _lengths(output_order, preimage))]
    if n > len(VARIANTS):
        raise InputError(f"n_regressors={n} given; up to {len(VARIANTS)} are made of one kernel: give a list.")
    name = next((each for each in sorted(given.get_params(), key=len) if each.split("__")[-1] == "n"), None)
    if name is None:
        raise InputError(
            f"{given!r} has no parameter n, so no regressors with other n-grams can be made of it; "
            "give input_kernel a list of kernels."
        )
    members = []
    for length, longest in VARIANTS[:n]:
        other = as_kernel(given).set_params(**{name: length})
        lower = name.removesuffix("n") + "min_n"
        if lower in other.get_params():
            other.set_params(**{lower: 1})
        members.append((other, _lengths(longest, preimage)))
    return members


def joint_lengths(members: list[Member], preimage: str) -> list[int]:
    """Lengths of the n-grams that pre-images are made of."""
    if preimage != "euler":
        return sorted({n for _, lengths in members for n in lengths})
    if len(members) > 1:
        return [2]
    lengths = members[0][1]
    if len(lengths) > 1 or lengths[0] < 2:
        raise InputError(f"output_order={lengths} given; Euler paths need one length of at least 2.")
    return lengths


def _lengths(output_order: Any, preimage: str) -> list[int]:
    output_order = 2 if output_order is None else output_order
    if isinstance(output_order, list | tuple):
        return [checked_number("output_order", each) for each in output_order]
    longest = checked_number("output_order", output_order)
    return [longest] if preimage == "euler" else list(range(min(2, longest), longest + 1))
