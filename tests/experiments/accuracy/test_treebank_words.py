"""Tests of `weft.experiments.accuracy.treebank_words`."""

import pytest

from weft.experiments.accuracy.treebank_words import reuters_sentences, treebank_sentences


def test_words_are_written_as_in_the_treebank():
    text = "Mr. Lee's BP/Standard said \"we don't know,\" in the U.S.\n    It lost 1,234.5 mln dlrs -- 3/8 pct... Fine."
    assert treebank_sentences(text + "\n Reuter") == [
        ["Lee", "'s", "BP", "/", "Standard", "said", "``", "we", "do", "n't", "know", ",", "''", "in", "the", "U.S."],
        ["It", "lost", "1,234.5", "million", "dollars", "--", "3/8", "%", "...", "Fine", "."],
    ]


@pytest.mark.needs_data("reuters21578")
def test_stories_of_two_parts():
    found = reuters_sentences(2)
    assert found[0][:4] == ["Showers", "continued", "throughout", "the"]
    assert ["Standard", "Oil", "Co"] in [sentence[:3] for sentence in found]
    assert all(len(sentence) > 3 for sentence in found)
