"""Tests of `weft.reports.differences`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.losses import edit
from weft.reports.differences import edit_columns


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
@settings(max_examples=100)
def test_edit_columns_spell_both_sides_with_fewest_edits(a, b):
    columns = edit_columns(a, b)
    assert "".join(x for x, _ in columns if x is not None) == a
    assert "".join(y for _, y in columns if y is not None) == b
    assert sum(x != y for x, y in columns) == edit(list(a), list(b))
    assert (None, None) not in columns
