"""Tests of `weft.experiments.accuracy_tag`."""

import pytest

from quick_runs import quick_report
from weft.experiments import accuracy_tag
from weft.learners.crf import CRF


@pytest.mark.slow
@pytest.mark.needs_data("conll2000", "conll2002_es", "nettalk")
def test_quick_rows_on_tagging(tmp_path):
    found = quick_report("accuracy-tag", tmp_path)
    sets = {each.data for each in accuracy_tag.SETS}
    assert {setting for _, setting, _ in found} == sets
    for each in accuracy_tag.SETS:
        scores = {
            method: value
            for (quantity, data, method), value in found.items()
            if (quantity, data) == (each.measure, each.data)
        }
        ours, theirs = scores.pop("weft"), scores.popitem()[1]
        # The CRFs of both sides have the same optimum; few iterations leave them near each other.
        assert ours == pytest.approx(theirs, abs=4 if isinstance(each.learner, CRF) else 12)
