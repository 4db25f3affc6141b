"""How the weights of loops are learned if nothing else is said: twice, and mixed with the measured free energies.

Structures of other families say less about an RNA than energies measured in the laboratory, and something else. A fit
that starts from the energies cannot leave them far behind, one that knows nothing of them errs elsewhere. The sum of
their scores is a better guide than either, at no cost when it predicts: it is one weight vector again.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import Floats
from weft.structures.rna.features import SHARED, loop_features

SHARED_PENALTY, DETAIL_PENALTY = 20.0, 2000.0
"""Penalties of the fit that starts from the energies: on the weights of the free energy and of kinds of loops, and on
those of pairs, lengths and letters, which some hundred structures of other families move in directions that do not
carry over."""
PLAIN_PENALTY = 4.0
"""Penalty of the fit without energies, on all weights alike; no other was tried with the mixture."""
SHARE = 0.3
"""What the energies and both fits have each in the weights. A third of each folds as well and is too sure of its pairs,
as the energies alone are. Penalties and shares were chosen on published structures of Rfam, none like those of
ArchiveII, in halves without a common family or clan that were learned from in turn; `python -m benchmarks.fold_choice`
compares shares."""


def loop_penalties() -> Floats:
    """Penalty on each weight of loops in the fit that starts from the energies.

    Examples
    --------
    >>> penalties, numbers = np.unique(loop_penalties(), return_counts=True)
    >>> penalties.tolist(), numbers.tolist()
    ([20.0, 2000.0], [9, 459])
    """
    of_loops = [SHARED_PENALTY if name in SHARED else DETAIL_PENALTY for name in loop_features()[0]]
    return np.array([SHARED_PENALTY, *of_loops])  # the free energy comes first


def plain_penalties() -> Floats:
    """Penalty on each weight of loops in the fit without energies, whose weight stays zero.

    Examples
    --------
    >>> plain_penalties()[:3].tolist()
    [inf, 4.0, 4.0]
    """
    return np.array([np.inf, *(PLAIN_PENALTY for _ in loop_features()[0])])


def mixed_weights(energies: Floats, adapted: Floats, plain: Floats) -> Floats:
    """Weights of the energies alone, of the fit that starts from them and of the one without them, in equal shares.

    Examples
    --------
    >>> mixed_weights(np.array([-1.0, 0.0]), np.array([-0.5, 1.0]), np.array([0.0, 3.0])).round(2).tolist()
    [-0.45, 1.2]
    """
    return SHARE * (energies + adapted + plain)
