from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import metrics
from weft.errors import InputError


def conlleval_counts(y_true, y_pred):
    """Chunks wanted, found and right, counted in one pass by the start and end rules of conlleval."""

    def split(tag):
        prefix, _, kind = tag.partition("-")
        return prefix, kind

    def ends(previous, current):
        (p, p_kind), (c, c_kind) = previous, current
        return (p in "BI" and c in "BOS") or p in "ES" or (p != "O" and p_kind != c_kind)

    def starts(previous, current):
        (p, p_kind), (c, c_kind) = previous, current
        return c in "BS" or (p in "OES" and c in "IE") or (c != "O" and p_kind != c_kind)

    wanted = found = right = 0
    outside = ("O", "")
    for truth, guess in zip(y_true, y_pred, strict=True):
        previous_truth = previous_guess = outside
        in_correct = False
        for tag_truth, tag_guess in zip([*truth, "O"], [*guess, "O"], strict=True):
            now_truth, now_guess = split(tag_truth), split(tag_guess)
            end_truth, end_guess = ends(previous_truth, now_truth), ends(previous_guess, now_guess)
            if in_correct:
                if end_truth and end_guess and previous_truth[1] == previous_guess[1]:
                    right += 1
                    in_correct = False
                elif end_truth != end_guess or now_truth[1] != now_guess[1]:
                    in_correct = False
            start_truth, start_guess = starts(previous_truth, now_truth), starts(previous_guess, now_guess)
            if start_truth and start_guess and now_truth[1] == now_guess[1]:
                in_correct = True
            wanted += start_truth
            found += start_guess
            previous_truth, previous_guess = now_truth, now_guess
    return wanted, found, right


def tag_pairs(prefixes):
    tags = ["O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in ("X", "Y"))]
    pair = st.lists(st.tuples(st.sampled_from(tags), st.sampled_from(tags)), min_size=1, max_size=8)
    return st.lists(pair, min_size=1, max_size=3)


def check_against_conlleval(pairs, scheme):
    y_true = [[truth for truth, _ in pair] for pair in pairs]
    y_pred = [[guess for _, guess in pair] for pair in pairs]
    scores = metrics.chunk_scores(y_true, y_pred, scheme=scheme)
    assert (scores.support, scores.predicted, scores.correct) == conlleval_counts(y_true, y_pred)
    assert scores.support == sum(each.support for each in scores.per_type.values())
    assert metrics.chunk_f1(y_true, y_pred, scheme=scheme) == scores.f1


@settings(deadline=None, max_examples=300)
@given(tag_pairs("BI"), st.sampled_from(["IOB1", "IOB2"]))
def test_chunks_are_counted_as_conlleval_counts_them(pairs, scheme):
    check_against_conlleval(pairs, scheme)


@settings(deadline=None, max_examples=300)
@given(tag_pairs("BIES"))
def test_bioes_chunks_are_counted_as_conlleval_counts_them(pairs):
    check_against_conlleval(pairs, "BIOES")


def test_chunk_scores_by_hand():
    # Wanted: NP(0,2) VP(3,4) NP(4,5); found: NP(0,2) NP(3,5), the last from an I that follows O.
    y_true = [["B-NP", "I-NP", "O", "B-VP", "B-NP"]]
    y_pred = [["B-NP", "I-NP", "O", "I-NP", "I-NP"]]
    scores = metrics.chunk_scores(y_true, y_pred)
    assert scores.precision == 1 / 2
    assert scores.recall == 1 / 3
    assert scores.f1 == pytest.approx(0.4)
    assert scores.per_type["NP"].support == 2
    assert scores.per_type["NP"].precision == 1 / 2
    assert scores.per_type["VP"].f1 == 0.0


def test_chunk_scores_are_zero_without_chunks():
    scores = metrics.chunk_scores([["O", "O"]], [["O", "O"]])
    assert (scores.precision, scores.recall, scores.f1, scores.support) == (0.0, 0.0, 0.0, 0)


def test_type_may_hold_a_dash():
    assert list(metrics.chunk_scores([["B-a-b"]], [["B-a-b"]]).per_type) == ["a-b"]


@pytest.mark.parametrize("tag", ["NP", "X-NP", "E-NP", "", 3])
def test_chunk_scores_name_a_tag_of_another_scheme(tag):
    with pytest.raises(InputError, match="of sequence 1 is not IOB2"):
        metrics.chunk_scores([["O"], [tag]], [["O"], ["O"]])


def test_chunk_scores_name_an_unknown_scheme():
    with pytest.raises(InputError, match="'IOBES'; wanted one of IOB2"):
        metrics.chunk_scores([["O"]], [["O"]], scheme="IOBES")


def test_accuracies_by_hand():
    y_true, y_pred = [["a", "b"], ("c",), "de"], [["a", "x"], ["c"], ["d", "e"]]
    assert metrics.token_accuracy(y_true, y_pred) == 4 / 5
    assert metrics.sequence_accuracy(y_true, y_pred) == 2 / 3


def test_accuracies_take_arrays():
    assert metrics.token_accuracy([np.array([1, 2])], [np.array([1, 3])]) == 0.5
    assert metrics.sequence_accuracy([np.array([1, 2])], [np.array([1, 2])]) == 1.0


@pytest.mark.parametrize("metric", [metrics.token_accuracy, metrics.sequence_accuracy, metrics.chunk_f1])
@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([["O"]], [["O"], ["O"]], "y_true has 1 sequences and y_pred 2"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "sequence 1 has length 2 in y_true and 1 in y_pred"),
        ([], [], "are empty"),
        ([[]], [[]], "every sequence is empty"),
        ("OO", [["O"], ["O"]], "y_true is one string"),
        ([["O"]], "O", "y_pred is one string"),
    ],
)
def test_lengths_are_checked(metric, y_true, y_pred, message):
    with pytest.raises(InputError, match=message) as caught:
        metric(y_true, y_pred)
    assert "\n" not in str(caught.value)


def test_phone_error_rate_takes_the_nearest_reference():
    assert metrics.phone_error_rate(["abc", "de"], ["abd", "de"]) == 1 / 5
    assert metrics.phone_error_rate([["abc", "abd"], ["de"]], ["abd", "dx"], several=True) == 1 / 5
    # Two references at distance one: the longer one counts, whatever the order.
    for references in (["ab", "abcd"], ["abcd", "ab"]):
        assert metrics.phone_error_rate([references], ["abc"], several=True) == 1 / 4


def test_word_error_rate_accepts_any_reference():
    references = [[["K", "AE"], ["K", "EH"]], [["T"]]]
    assert metrics.word_error_rate(references, [("K", "EH"), ["D"]], several=True) == 1 / 2
    assert metrics.word_error_rate(["ab", "c"], ["ab", "d"]) == 1 / 2


def test_error_rates_say_what_is_wrong_with_references():
    with pytest.raises(InputError, match="references of sequence 0 are 'abc'"):
        metrics.word_error_rate(["abc"], ["abc"], several=True)
    with pytest.raises(InputError, match="references of sequence 1 are"):
        metrics.phone_error_rate([["a"], []], ["a", "b"], several=True)
    with pytest.raises(InputError, match="every reference is empty"):
        metrics.phone_error_rate([""], ["a"])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1, max_size=4))
def test_edit_similarity_lies_between_zero_and_one(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    similarity = metrics.normalized_edit_similarity(y_true, y_pred)
    assert 0.0 <= similarity <= 1.0
    assert metrics.normalized_edit_similarity(y_true, y_true) == 1.0
    assert similarity == pytest.approx(metrics.normalized_edit_similarity(y_pred, y_true))


def test_base_pair_scores_micro_and_macro():
    y_true, y_pred = ["((..))", "(..)", "...."], ["(....)", "....", "...."]
    micro = metrics.base_pair_scores(y_true, y_pred)
    assert (micro.sensitivity, micro.ppv, micro.f1) == (1 / 3, 1.0, 0.5)
    macro = metrics.base_pair_scores(y_true, y_pred, average="macro")
    assert macro.sensitivity == pytest.approx((0.5 + 0.0 + 1.0) / 3)
    assert macro.f1 == pytest.approx((2 / 3 + 0.0 + 1.0) / 3)
    with pytest.raises(InputError, match="'weighted'"):
        metrics.base_pair_scores(y_true, y_pred, average="weighted")


def test_alignment_accuracy_counts_reproduced_columns():
    reference = [("AC-GT", "A-CGT")]
    assert metrics.alignment_accuracy(reference, reference) == 1.0
    assert metrics.alignment_accuracy(reference, [("ACGT", "ACGT")]) == 1.0
    assert metrics.alignment_accuracy(reference, [("ACGT----", "----ACGT")]) == 0.0


def test_alignment_accuracy_scores_upper_case_columns_of_the_reference():
    reference = [("acGT", "acGT")]
    # The prediction shifts the first two symbols; case does not matter in it.
    prediction = [("AC-GT", "-acGT")]
    assert metrics.alignment_accuracy(reference, prediction, scored="upper") == 1.0
    assert metrics.alignment_accuracy(reference, [("AC-GT", "A-CGT")]) == 3 / 4


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([("AC", "AC")], [("AG", "AC")], "another sequence than the reference in row 1"),
        ([("AC", "A-C")], [("AC", "AC")], "rows of 2 and 3 columns"),
        ([("A-", "-C")], [("A-", "-C")], "no reference alignment has a scored column"),
    ],
)
def test_alignment_accuracy_says_what_is_wrong(y_true, y_pred, message):
    with pytest.raises(InputError, match=message):
        metrics.alignment_accuracy(y_true, y_pred)


def test_alignment_accuracy_checks_scored():
    with pytest.raises(InputError, match="'core'"):
        metrics.alignment_accuracy([("A", "A")], [("A", "A")], scored="core")


def test_bootstrap_interval_is_seeded_and_covers_the_mean():
    values = np.random.default_rng(3).random(200)
    low, high = metrics.bootstrap_interval(values, random_state=1)
    assert (low, high) == metrics.bootstrap_interval(values, random_state=1)
    assert (low, high) != metrics.bootstrap_interval(values, random_state=2)
    assert low < values.mean() < high
    # 1.96 standard errors of a uniform sample of 200 is 0.040.
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(200), rel=0.15)
    assert metrics.bootstrap_interval([2.0]) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("values", "options"),
    [([], {}), ([[1.0]], {}), ([np.nan], {}), ([1.0], {"level": 1.0}), ([1.0], {"n_resamples": 0})],
)
def test_bootstrap_interval_refuses_bad_input(values, options):
    with pytest.raises(InputError):
        metrics.bootstrap_interval(values, **options)


def test_all_right_and_all_wrong_are_not_certain():
    """The bootstrap would say 100 - 100 even of one sequence."""
    lengths = [3, 0, 2, 4]  # the second sequence says nothing
    assert metrics.ratio_interval(lengths, lengths) == metrics.wilson_interval(3, 3)
    assert metrics.ratio_interval([0, 0, 0, 0], lengths) == metrics.wilson_interval(0, 3)
    assert metrics.ratio_interval([0, 0], [0, 0]) == (0.0, 0.0)


def test_wilson_interval_solves_its_equation():
    # Both ends p satisfy (share - p)^2 = z^2 p (1 - p) / n (Wilson 1927).
    right, n, z = 17, 40, 1.959963984540054
    for end in metrics.wilson_interval(right, n):
        assert (right / n - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n)
    assert metrics.wilson_interval(0, 5)[0] == 0.0
    assert metrics.wilson_interval(5, 5)[1] == 1.0
    assert metrics.wilson_interval(0, 0) == (0.0, 1.0)
    with pytest.raises(InputError, match="6 of 5"):
        metrics.wilson_interval(6, 5)


def test_calibration_counts_every_prediction_once():
    confidences, right = [0.0, 0.05, 0.1, 0.55, 1.0, 1.0], [0, 0, 1, 1, 1, 0]
    bins = metrics.calibration_bins(confidences, right)
    assert [each.n for each in bins] == [2, 1, 1, 2]
    assert bins[-1] == (1.0, 0.5, 2)
    by_hand = (2 * 0.025 + 1 * 0.9 + 1 * 0.45 + 2 * 0.5) / 6
    assert metrics.expected_calibration_error(confidences, right) == pytest.approx(by_hand)


def test_calibration_refuses_what_is_no_probability():
    with pytest.raises(InputError, match=r"reach from 0.5 to 1.5"):
        metrics.calibration_bins([0.5, 1.5], [1, 0])
    with pytest.raises(InputError, match="one length"):
        metrics.calibration_bins([0.5], [1, 0])
    with pytest.raises(InputError, match="no predictions"):
        metrics.expected_calibration_error([], [])
