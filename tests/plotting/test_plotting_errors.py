"""Displays of alignments and foldings draw what they are given, and refuse what does not fit."""

import numpy as np
import pytest

from weft.errors import InputError
from weft.plotting.alignment import AlignmentDisplay
from weft.plotting.base_pairs import BasePairDisplay
from weft.plotting.rna_structure import RNAStructureDisplay

pytest.importorskip("matplotlib", reason="displays need matplotlib")


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: RNAStructureDisplay("GG", "..."), "2 bases but the structure 3"),
        (lambda: BasePairDisplay("GG", np.zeros((2, 2)), "..."), "structure has 3 symbols"),
        (lambda: BasePairDisplay("GG", np.zeros((3, 3)), ".."), r"\(2, 2\) is needed"),
        (lambda: AlignmentDisplay("A-", "A", np.zeros((1, 1))), "equally long"),
        (lambda: AlignmentDisplay("A-", "AC", np.zeros((1, 1))), r"\(1, 2\) is needed"),
        (lambda: AlignmentDisplay("A", "A", np.zeros((1, 1)), width=0), "width is 0"),
    ],
)
def test_what_does_not_fit_is_refused(make, part):
    with pytest.raises(InputError, match=part):
        make()
