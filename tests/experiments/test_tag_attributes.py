"""Tests of `weft.experiments.tag_attributes`."""

from weft.experiments.tag_attributes import (
    JOINED,
    N_FOLDS,
    chunk_attributes,
    chunk_spans,
    combined,
    cross_answers,
    joined_columns,
    syllable_attributes,
)

SENTENCE = [("he", "PRP"), ("reckons", "VBZ"), ("the", "DT"), ("deficit", "NN"), (".", ".")]
LABELS = ["B-NP", "B-VP", "B-NP", "I-NP", "O"]


class Recorder:
    """Answers with the inputs that it was fitted on."""

    def __init__(self, X, y):
        assert y == X
        self.known = tuple(X)

    def predict(self, X):
        return [self.known for _ in X]


def test_an_answer_comes_from_a_model_that_has_not_seen_the_example():
    for n in (2, 5, 23):
        X = list(range(n))
        answers = cross_answers(Recorder, X, X)
        assert len(answers) == n
        assert all(i not in known for i, known in enumerate(answers))
        assert all(len(known) >= n - -(-n // N_FOLDS) for known in answers)


def test_spans_begin_where_no_label_goes_on():
    assert chunk_spans(LABELS) == [(0, 1, "NP"), (1, 2, "VP"), (2, 4, "NP"), (4, 5, "O")]
    assert chunk_spans(["I-NP", "I-NP", "O", "I-VP"]) == [(0, 2, "NP"), (2, 4, "O")]  # as a tagger may answer
    assert chunk_spans([]) == []


def test_chunks_around_a_token_are_told_by_kind_head_and_last_verb():
    found = chunk_attributes(SENTENCE, LABELS)
    assert len(found) == len(SENTENCE)
    assert len({len(names) for names in found}) == 1
    assert all(len(set(names)) == len(names) for names in found)
    wanted = {
        "own=NP|1|0",
        "label[0]=I-NP",
        "label[-1]=B-NP",
        "chunk[-1]head=reckons",
        "chunk[-2]head=he",
        "chunk[1]=O|NN",
        "chunk[2]head=\\none",
        "heads[-1]=reckons|deficit",
        "verb,word=reckons|deficit",
        "verbs=1|0|NN|I-NP",
    }
    assert wanted <= set(found[3])


def test_joined_columns_name_their_places():
    found = joined_columns(SENTENCE)
    assert [len(names) for names in found] == [len(JOINED)] * len(SENTENCE)
    assert {"0[0]1[1]=the|NN", "1[-1]0[0]1[1]=VBZ|the|NN", "0[-1]1[0]=reckons|DT"} <= set(found[2])
    assert "1[-2]1[-1]0[0]=\\none|\\none|he" in found[0]


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
