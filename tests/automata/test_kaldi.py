"""Kaldi's lattices as text."""

import io

import pytest

from weft import InputError
from weft.automata import read_kaldi_lattices, strings_and_weights

TEXT = """u1
0 1 7 1.5,10,3_3_4
0 1 8 2,8,
1 2 <eps> 0,1,
2 0.5,0,

u2
0 1 12 9 3,4
1
"""


def test_words_and_costs():
    found = read_kaldi_lattices(io.StringIO(TEXT), symbols={7: "yes", 8: "no", 9: "well"}, acoustic_scale=0.1)
    assert list(found) == ["u1", "u2"]
    costs = {tuple(string): cost for string, cost in strings_and_weights(found["u1"]).items()}
    assert costs == {("yes",): pytest.approx(1.5 + 0.1 * 11 + 0.5), ("no",): pytest.approx(2 + 0.1 * 9 + 0.5)}
    assert {tuple(s): c for s, c in strings_and_weights(found["u2"]).items()} == {("well",): pytest.approx(3.4)}


def test_a_key_comes_once():
    with pytest.raises(InputError, match="the key 'u' comes twice"):
        read_kaldi_lattices(io.StringIO("u\n0\n\nu\n0\n\n"))
