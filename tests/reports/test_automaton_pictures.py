"""Tests of `weft.reports.automaton_pictures`."""

from weft.reports.automaton_pictures import gram_automaton


def test_automata_share_ends():
    shown = gram_automaton([("ab", 1.0), ("cb", 1.0), ("c", 0.5)], "three strings")
    # 0 -a-> 1, 0 -c-> 2 (an end), 1 -b-> 3, 2 -b-> 3 (an end): four states, two of them ends
    assert shown.count("<circle") == 6
    assert shown.count("<path") == 4
