"""How models of a kind are trained: what its command reads and builds, and what tuning tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from weft.kinds.settings import Setting


class Recipe(NamedTuple):
    """How models of a kind are trained.

    Attributes
    ----------
    prepare : callable
        Takes the kind and the options of its command, reads what is to be learned from into `Kind.examples`, and builds
        `Kind.estimator`. Arguments and text are those of the command.
    grids : dict
        Options to try with --tune grid, by the class of the part that has them; of equal scores the first value wins.
    wholes : callable
        Takes the kind after `prepare`, and gives settings for --tune auto that put another part in the place of one,
        such as another learner.
    """

    prepare: Callable[..., None]
    grids: Mapping[str, Mapping[str, Sequence[Any]]]
    wholes: Callable[[Any], Sequence[Setting]] = lambda kind: ()
