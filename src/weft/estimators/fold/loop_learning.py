"""How the weights of loops are learned if nothing else is said: for other families of RNA, or for one's own.

For other families they are learned twice, and mixed with the measured free energies. Structures of other families say
less about an RNA than energies measured in the laboratory, and something else. A fit that starts from the energies
cannot leave them far behind, one that knows nothing of them errs elsewhere. The sum of their scores is a better guide
than either, at no cost when it predicts: it is one weight vector again.

Whoever has structures of one family, and more of it to fold, is better served by a fit to these alone. Some of the
structures tell which it is: they are folded by what others of them teach, in both ways.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.checkpoint import journal_kept
from weft.learners.crf import CRF
from weft.metrics.structures import base_pair_scores
from weft.parameters import clone
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

OWN_PENALTY = 1.0
"""Penalty of a fit to structures of one's own families, on all weights alike: that of `CRF` elsewhere."""
N_COMPARED, FEWEST_COMPARED, N_FOLDS = 60, 10, 3
"""Structures that tell which way is better, and folds, each of which is folded by what the others teach."""


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


def is_own_family(folder: Any, learner: CRF, X: list[Any], y: list[Any]) -> bool:
    """Whether a fit to structures alone folds others of them clearly better than one that is mixed with the energies.

    Parameters
    ----------
    folder : Folder
        Whose settings hold; not fitted.
    learner : CRF
        Whose other parameters hold.
    X, y : list of str
        That were checked; all count alike, whatever their sample weights.
    """
    if len(X) < FEWEST_COMPARED:
        return False
    order = np.random.default_rng(0).permutation(len(X))[:N_COMPARED]
    gains = []
    for fold in range(N_FOLDS):
        folded = order[fold::N_FOLDS]
        learned = np.setdiff1d(order, folded)
        ways = (clone(folder).set_params(learner=clone(learner).set_params(c2=c2)) for c2 in (OWN_PENALTY, None))
        gains += np.subtract(*(_scores(own, X, y, learned, folded) for own in ways)).tolist()
    # A standard error better, so that families that teach each other nothing are hardly ever taken for one.
    return bool(np.mean(gains) > np.std(gains, ddof=1) / np.sqrt(len(gains)))


def _scores(folder: Any, X: list[Any], y: list[Any], learned: Integers, folded: Integers) -> Floats:
    """F1 of some structures by what others teach."""
    folder.set_params(validation_fraction=0.0, patience=None, decode=None, beam_width=None, verbose=0)
    folder._compares = False
    with journal_kept(None), warnings.catch_warnings():  # a run that goes on compares again
        warnings.simplefilter("ignore")  # what is amiss is told once, by the fit itself
        folder.fit([X[i] for i in learned], [y[i] for i in learned])
        predicted = folder.predict([X[i] for i in folded])
    scores = (base_pair_scores([y[i]], [own], "macro") for i, own in zip(folded, predicted, strict=True))
    return np.array([own.f1 for own in scores])
