"""Tests of `weft.experiments.public_sets.nettalk_rewriting`."""

import pytest

from weft.experiments.public_sets.nettalk_rewriting import spoken
from weft.experiments.registry import run_experiment


def test_silent_marks_go():
    assert spoken("-a-b") == ["a", "b"]


@pytest.mark.needs_data("nettalk")
@pytest.mark.slow
def test_nettalk_in_small():
    pytest.importorskip("pycrfsuite")
    report = run_experiment("nettalk-rewriting", quick=True)
    assert report.find("NETtalk", "Rewriter", "words wrong, %").mean < 95.0
