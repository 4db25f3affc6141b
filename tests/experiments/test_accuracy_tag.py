"""Tests of `weft.experiments.accuracy_tag`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quick_runs import quick_report
from weft.experiments import accuracy_tag
from weft.experiments.accuracy_tag import with_ends, without_ends
from weft.metrics.chunks import chunk_f1

LABELS = st.lists(st.sampled_from(["O", "B-x", "I-x", "B-y", "I-y"]), min_size=1, max_size=8).map(
    lambda labels: [
        f"B{label[1:]}" if label[0] == "I" and (before == "O" or before[1:] != label[1:]) else label
        for before, label in zip(["O", *labels], labels, strict=False)
    ]
)


@given(LABELS)
def test_ends_are_told_and_taken_back(labels):
    told = with_ends(labels)
    assert without_ends(told) == labels
    if set(labels) != {"O"}:
        assert chunk_f1([told], [told], scheme="BIOES") == 1.0
    # As many chunks begin as end.
    assert sum(label[0] in "BS" for label in told) == sum(label[0] in "ES" for label in told)


@pytest.mark.slow
@pytest.mark.needs_data("conll2000", "conll2002_es", "nettalk")
def test_quick_rows_on_tagging(tmp_path):
    found = quick_report("accuracy-tag", tmp_path)
    sets = {each.data for each in accuracy_tag.SETS}
    assert {setting for _, setting, _ in found} == sets
    assert {method for _, _, method in found} == {"weft", "CRFsuite"}
    for quantity, setting, _ in found:  # both optimise the same likelihood
        assert found[quantity, setting, "weft"] > 0
        if "%" in quantity:
            assert found[quantity, setting, "weft"] == pytest.approx(found[quantity, setting, "CRFsuite"], abs=4)
