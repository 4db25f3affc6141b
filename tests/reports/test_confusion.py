"""Tests of `weft.reports.confusion`."""

from weft.reports import Confusion
from weft.reports.confusion import confusion_of, confusion_table


def test_large_confusions_are_cut_and_say_so():
    counts = {(f"L{i}", f"L{j}"): 1 + (i == j) * i for i in range(40) for j in range(40)}
    cut = confusion_of(counts, "tokens", most=10)
    assert len(cut.rows) == 10
    assert cut.n_names == 40
    assert cut.n_outside + sum(map(sum, cut.counts)) == sum(counts.values())
    shown = confusion_table(cut)
    assert "Shown are 10 of 40 names" in shown
    assert f"{cut.n_outside:,} tokens fall outside" in shown
    assert len(confusion_table(confusion_of(counts, "tokens"))) < 60_000


def test_cells_that_are_right_may_be_anywhere():
    confusion = Confusion("letters", ["gap"], ["a", "gap"], [[1, 3]], [(0, 1)], 1, 0, [("gap", "a", 1)])
    shown = confusion_table(confusion)
    assert "var(--right) / 0.75" in shown
    assert "100 %" in shown  # of all errors
