"""Tests of `weft.experiments.accuracy.tag_attributes`."""

from weft.experiments.accuracy.tag_attributes import combined, syllable_attributes


def test_runs_of_vowels_before_and_after_a_letter():
    found = syllable_attributes("reason")
    assert len(found) == 6
    of_e, of_s = set(found[1]), set(found[3])
    assert {"e runs=1/2", "e runs after=1", "e next=o", "e outline after=ea-o-", "e outline before=-e"} <= of_e
    assert {"s runs before=1", "s runs after=1, end=on", "s next two=o,", "s all after=o"} <= of_s
    assert "h runs=0/0" in syllable_attributes("hm")[0]
    assert syllable_attributes("") == []


def test_attributes_of_a_token_are_put_one_after_the_other():
    assert combined([[("a",)], []], [[("b", "c")], []]) == [[("a", "b", "c")], []]
