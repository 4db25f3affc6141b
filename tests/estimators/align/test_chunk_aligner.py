"""ChunkAligner: chunks of two sequences, learned without alignments."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import weft
from weft.errors import InputError

WORDS = [("phone", "fon"), ("graph", "graf"), ("photo", "foto"), ("note", "not"), ("hero", "hero"), ("box", "boks")]


def joined(chunks):
    return "".join(a for a, _ in chunks), "".join(b for _, b in chunks)


def test_digraphs_and_double_sounds_are_found():
    aligner = weft.ChunkAligner().fit(WORDS * 3)
    found = aligner.predict([("phox", "foks"), ("epho", "fo")])
    assert found[0] == [("ph", "f"), ("o", "o"), ("x", "ks")]
    assert found[1] == [("e", ""), ("ph", "f"), ("o", "o")]
    assert aligner.chunk_probabilities_[("p", "h"), ("f",)] > aligner.chunk_probabilities_[("p",), ("f",)]
    objectives = [entry["objective"] for entry in aligner.history_]
    assert objectives[-1] < objectives[0]


def test_every_symbol_is_in_one_chunk_even_if_it_is_new():
    aligner = weft.ChunkAligner().fit(WORDS)
    pairs = [*WORDS, ("quiz", "kwis"), ("zz", "ss")]
    assert [joined(chunks) for chunks in aligner.predict(pairs)] == pairs
    lists = weft.ChunkAligner().fit([(["a", "bc"], [1, 2]), (["bc"], [2])])
    assert lists.predict([(["bc", "a"], [2, 1])]) == [[(["bc"], [2]), (["a"], [1])]]


def test_chunks_of_several_symbols_on_both_sides_are_an_option():
    pairs = [("ab", "xy"), ("cab", "zxy"), ("abc", "xyz"), ("c", "z")] * 5
    plain = weft.ChunkAligner().fit(pairs)
    both = weft.ChunkAligner(many_to_many=True).fit(pairs)
    assert (("a", "b"), ("x", "y")) in both.chunk_probabilities_
    assert all(min(map(len, key)) < 2 for key in plain.chunk_probabilities_)


def test_models_come_back_from_files(tmp_path):
    aligner = weft.ChunkAligner((2, 3)).fit(WORDS)
    weft.save(aligner, tmp_path / "chunks.weft")
    again = weft.load(tmp_path / "chunks.weft")
    assert again.chunk_probabilities_ == aligner.chunk_probabilities_
    assert again.predict(WORDS) == aligner.predict(WORDS)


def test_max_iter_is_heard_of():
    with pytest.warns(ConvergenceWarning, match="ChunkAligner stopped after max_iter=2, before tol=0.0001"):
        weft.ChunkAligner(max_iter=2).fit(WORDS)


@pytest.mark.filterwarnings("ignore:ChunkAligner stopped:sklearn.exceptions.ConvergenceWarning")
def test_weights_of_pairs_count_like_copies():
    once = weft.ChunkAligner(max_iter=3, tol=0.0).fit(WORDS, sample_weight=[3.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    copied = weft.ChunkAligner(max_iter=3, tol=0.0).fit([WORDS[0], WORDS[0], *WORDS])
    assert once.chunk_probabilities_.keys() == copied.chunk_probabilities_.keys()
    for key, value in once.chunk_probabilities_.items():
        assert value == pytest.approx(copied.chunk_probabilities_[key])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weft.ChunkAligner(0).fit(WORDS), "max_chunk is 0"),
        (lambda: weft.ChunkAligner((1, 2, 3)).fit(WORDS), "or two, is needed"),
        (lambda: weft.ChunkAligner().fit([("a", "xyz")]), r"X\[0\] has 1 and 3 symbols.*raise max_chunk"),
        (lambda: weft.ChunkAligner().fit("ab"), "a list of pairs is needed"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_state_that_does_not_fit_is_refused():
    aligner = weft.ChunkAligner().fit(WORDS)
    state, arrays = aligner._to_state()
    arrays["chunks0"] = arrays["chunks0"] + np.int32(50)
    with pytest.raises(weft.ModelFileError, match="'chunks0' of a chunk aligner has entries from"):
        weft.ChunkAligner()._from_state(state, arrays)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_chunk": 1.5}, "max_chunk is 1.5; a whole number from 1 to 100, or two, is needed"),
        ({"max_chunk": None}, "max_chunk is None"),
        ({"max_chunk": True}, "max_chunk is True"),
        ({"max_chunk": 10**30}, "max_chunk is 10000"),
        ({"max_iter": 0}, "max_iter=0 given"),
        ({"max_iter": "9"}, "max_iter='9' given"),
        ({"tol": -1.0}, "tol is -1.0; a finite number >= 0 is needed"),
        ({"tol": np.nan}, "tol is nan"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        weft.ChunkAligner(**parameters).fit(WORDS)
