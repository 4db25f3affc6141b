from hypothesis import given, settings
from hypothesis import strategies as st

from weft.sequences.answers import answer_attributes, chunk_spans, is_chunked

LABELS = st.sampled_from(["O", "B-x", "I-x", "I-y", "E-y", "S-|", "B-\\"])
WORDS = st.text("ab|\\=[0", min_size=1, max_size=3)
ROWS = st.lists(st.tuples(LABELS, WORDS, WORDS), min_size=1, max_size=8)


def spans_by_definition(labels):
    """A chunk is open after B- and I-, and goes on with I- and E- of its kind."""
    found, is_open = [], False
    for i, label in enumerate(labels):
        how, kind = label[:2], label[2:] or "O"
        if is_open and how in ("I-", "E-") and found[-1][2] == kind:
            found[-1] = (found[-1][0], i + 1, kind)
        else:
            found.append((i, i + 1, kind))
        is_open = how in ("B-", "I-")
    return found


@given(st.lists(LABELS, min_size=1, max_size=9))
def test_chunks_are_those_of_the_definition(labels):
    assert chunk_spans(labels) == spans_by_definition(labels)


@settings(max_examples=80)
@given(ROWS, st.integers(0, 2), st.booleans())
def test_no_token_has_a_name_twice_and_lengths_are_kept(rows, n_columns, chunked):
    labels, *columns = map(list, zip(*rows, strict=True))
    found = answer_attributes(columns[:n_columns], labels, chunked)
    assert len(found) == len(rows)
    assert all(len(set(names)) == len(names) for names in found)
    assert len({len(names) for names in found}) == 1


def values_of(names, *wanted):
    known = dict(name.split("=", 1) for name in names)
    return [known[each] for each in wanted]


def test_labels_near_a_token():
    found = answer_attributes([["a", "b|", "c"], ["X", "Y", "Z"]], ["B-x", "I-x", "O"], chunked=False)
    assert values_of(found[1], "answer[-2]", "answer[-1]", "answer[0]", "answer[2]") == [
        *("\\start", "B-x", "I-x", "\\end"),
    ]
    assert values_of(found[1], "answer[-1:0]", "answer[0:2]", "answer[1]0[0]", "answer[-1]1[0]") == [
        *("B-x|I-x", "I-x|O|\\end", "O|b\\|", "B-x|Y"),
    ]
    assert values_of(found[2], "answer[0]1[-1]", "answer[0]1[1]", "answer[-1]answer[1]1[0]") == [
        *("O|Y", "O|\\end", "I-x|\\end|Z"),
    ]
    assert not any(name.startswith(("chunk", "last")) for names in found for name in names)


def test_chunks_around_a_token():
    words, tags = ["he", "saw", "the", "old", "man", "."], ["P", "V", "D", "J", "N", "."]
    labels = ["B-NP", "B-VP", "B-NP", "I-NP", "I-NP", "O"]
    found = answer_attributes([words, tags], labels, chunked=True)
    assert values_of(found[3], "chunk", "chunk[-2]", "chunk[1]", "chunk[2]", "last[-1]", "last1[-2]1[0]") == [
        *("NP|1|1", "NP", "O", "\\end", "saw", "P|J"),
    ]
    assert values_of(found[1], "last[1]", "last[1]last[0]", "last[-1]0[0]", "chunks", "chunk[1]chunk") == [
        *("man", "man|saw", "he|saw", "\\start|NP|NP|O", "NP|VP|0|0"),
    ]
    assert found[3][-1] == "chunks1[0]=NP|VP|O|\\end|J"


def test_an_answer_without_words_says_labels_alone():
    names = answer_attributes([], ["B-x", "O"], chunked=True)[0]
    assert {name.split("[")[0].split("=")[0] for name in names} == {"answer", "chunk", "chunks"}


def test_which_labels_are_chunks():
    assert is_chunked(["O", "B-x"])
    assert is_chunked(["S-x"])
    assert not is_chunked(["O", "I-x", "N"])
