"""HTK's lattices."""

import io

import pytest

from weft.automata import read_slf, strings_and_weights

ON_NODES = """VERSION=1.0
base=10.0 lmscale=2.0 wdpenalty=-1.0
N=4 L=4
I=0 W=!NULL
I=1 W=a
I=2 W="b c"
I=3 W=!NULL
J=0 S=0 E=1 a=-1.0 l=-0.5
J=1 S=0 E=2 a=-2.0 l=-0.25
J=2 S=1 E=3
J=3 S=2 E=3
"""


def test_words_on_nodes_scales_base_and_penalty():
    found = {tuple(string): cost for string, cost in strings_and_weights(read_slf(io.StringIO(ON_NODES))).items()}
    ten = 2.302585092994046
    assert found == {("a",): pytest.approx(2 * ten + 1.0), ("b c",): pytest.approx(2.5 * ten + 1.0)}


def test_arguments_go_before_the_file():
    lattice = read_slf(io.StringIO(ON_NODES), acoustic_scale=0.0, language_scale=0.0, word_penalty=0.0)
    assert [cost for _, cost in strings_and_weights(lattice).items()] == [0.0, 0.0]


def test_long_names_start_and_end():
    text = "start=1 end=0\nI=0\nI=1\nJ=0 START=1 E=0 WORD=x\n".replace("START", "start").replace("WORD", "word")
    assert [tuple(string) for string, _ in strings_and_weights(read_slf(io.StringIO(text))).items()] == [("x",)]
