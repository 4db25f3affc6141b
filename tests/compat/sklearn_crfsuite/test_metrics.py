"""Metrics under the names of sklearn-crfsuite, which is the oracle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn_crfsuite import metrics as original

import weft
from weft.compat.sklearn_crfsuite import metrics

TRUE = [["a", "b", "c"], ["c"], ["b", "b"]]
GUESS = [["a", "c", "c"], ["c"], ["b", "a"]]
FLAT = ("accuracy_score", "precision_score", "recall_score", "f1_score", "fbeta_score", "classification_report")


@pytest.mark.parametrize("name", FLAT)
def test_values_are_those_of_the_original(name):
    options = {"accuracy_score": {}, "classification_report": {"labels": ["a", "b"], "digits": 3}}.get(
        name, {"average": "weighted", "labels": ["a", "b"]}
    )
    if name == "fbeta_score":
        options["beta"] = 2
    assert getattr(metrics, f"flat_{name}")(TRUE, GUESS, **options) == getattr(original, f"flat_{name}")(
        TRUE, GUESS, **options
    )


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.booleans()), max_size=6))
def test_sequence_accuracy_counts_sequences(cases):
    truth = [list(word) for word, _ in cases]
    guess = [list(word) if same else [*word, "x"] for word, same in cases]
    wanted = sum(same for _, same in cases) / len(cases) if cases else 0
    assert metrics.sequence_accuracy_score(truth, guess) == wanted


def test_unequal_lengths_are_refused():
    with pytest.raises(weft.InputError, match=r"y_true\[1\] has 1 labels and y_pred\[1\] 2"):
        metrics.flat_accuracy_score([["a"], ["b"]], [["a"], ["b", "b"]])
    with pytest.raises(weft.InputError, match="y_true has 1 sequences and y_pred 0"):
        metrics.sequence_accuracy_score([["a"]], [])
