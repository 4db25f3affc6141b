"""Places of the bases in a drawing of an RNA structure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weft.sequences.formats.dotbracket import base_pairs


def rna_layout(structure: str) -> NDArray[np.float64]:
    """Coordinates of each base: every loop is a regular polygon with sides of length one.

    A stacked pair is a loop of four bases, so that stems come out straight; loops hang outwards from the pair that
    closes them. The open chain outside all pairs is a polygon too.

    Parameters
    ----------
    structure : str
        Dot-bracket string without crossing pairs.

    Returns
    -------
    ndarray of shape (length, 2)

    Examples
    --------
    >>> places = rna_layout("((...))")
    >>> round(float(np.linalg.norm(places[0] - places[6])), 6)  # a pair is one apart
    1.0
    """
    n = len(structure)
    partner = np.full(n, -1)
    for i, j in base_pairs(structure):
        partner[i], partner[j] = j, i
    places = np.zeros((n, 2))
    outside = _members(partner, 0, n)
    if not outside:
        return places
    # Two more corners leave a gap between the ends of the chain.
    _put_on_polygon(places, outside, len(outside) + (2 if len(outside) > 1 else 0), np.array([0.0, 0.0]), np.pi / 2)
    waiting = [(i, int(partner[i])) for i in outside if partner[i] > i]
    while waiting:
        i, j = waiting.pop()
        loop = [i, *_members(partner, i + 1, j), j]
        side = places[j] - places[i]
        outwards = np.array([-side[1], side[0]])  # loops are walked with the sun, so outwards is to the left of i to j
        middle = (places[i] + places[j]) / 2.0
        angle = np.pi / len(loop)
        centre = middle + outwards / (2.0 * np.tan(angle))
        begin = float(np.arctan2(*(places[i] - centre)[::-1]))
        _put_on_polygon(places, loop, len(loop), centre, begin)
        waiting += [(k, int(partner[k])) for k in loop[1:-1] if partner[k] > k]
    return places


def _members(partner: NDArray[np.int64], begin: int, end: int) -> list[int]:
    """Bases of a loop between two positions: free ones, and both ends of each pair that leads out of it."""
    members = []
    k = begin
    while k < end:
        members.append(k)
        if partner[k] > k:
            members.append(int(partner[k]))
            k = int(partner[k])
        k += 1
    return members


def _put_on_polygon(
    places: NDArray[np.float64], members: list[int], n_corners: int, centre: NDArray[np.float64], begin: float
) -> None:
    """Put bases on the corners of a polygon with sides of one, the first at an angle, the others with the sun."""
    radius = 0.5 / np.sin(np.pi / n_corners) if n_corners > 1 else 0.0
    angles = begin - 2.0 * np.pi * np.arange(len(members)) / n_corners
    places[members] = centre + radius * np.column_stack([np.cos(angles), np.sin(angles)])
