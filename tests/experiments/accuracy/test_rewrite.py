"""Tests of `weft.experiments.accuracy.rewrite`."""

import pytest

from quick_runs import quick_report
from weft.experiments.accuracy import rewrite
from weft.experiments.accuracy.rewrite import LEFT_OUT, MEASURE, Result, efforts_of, means, measured, row_of, words_of
from weft.experiments.accuracy.rows import CALIBRATION, CPU

WORDS = ["ab", "ba", "abb", "bab", "aab", "bba"] * 4
SOUNDS = [[each.upper() for each in word] for word in WORDS]


def test_an_effort_is_measured_on_other_words():
    found = measured("fast", (WORDS, SOUNDS), (["abab", "baa"], [[list("AA"), list("ABAB")], [list("XXX")]]), 0)
    assert found.wrong == 50.0
    assert found.n_pairs == len(WORDS)
    assert 0.0 < found.calibration <= 1.0
    assert found.seconds > 0.0
    assert 0.0 < found.megabytes < 1.0


def result_of(right, n_pairs):
    return Result([0.75] * len(right), right, 90.0, n_pairs, 2.5)


def test_rows_say_what_was_made_and_what_was_left_out():
    row = row_of("kor", "balanced", result_of([True, False], 8_000), rewrite.NEVER)
    assert (row.score, row.calibration) == (50.0, 0.25)
    assert row.note().startswith("kor, weft, balanced: effort='balanced', 8,000 pairs: ")
    assert "left out: nothing was chosen on it" in row.note()
    forms = row_of("forms of x", "best", result_of([True], 800), "")
    assert forms.settings.endswith("1 model; the CPU of 'fast', 2.5 MB")


def test_a_mean_is_of_all_languages_or_there_is_none():
    every = [result_of([True] * 3, 8_000)] * 9 + [result_of([False] * 3, 8_000)]
    found = means("medium", {"fast": every, "best": every[:1]})
    assert [(each.method, each.published) for each in found] == [("weft, fast", 10.64)]
    assert found[0].score == pytest.approx(10.0)
    assert found[0].calibration == pytest.approx(0.15)  # 0.25 in either kind of language, but not of all words


def test_what_was_left_out_is_what_the_page_names(request):
    page = request.config.rootpath / "docs" / "project" / "decisions" / "left-out.md"
    line = next(each for each in page.read_text(encoding="utf-8").splitlines() if each.startswith("| rewrite |"))
    assert all(f"`{each}`" in line for each in (*LEFT_OUT, rewrite.LEFT_OUT_FORMS))
    assert efforts_of("kor", "medium") == efforts_of("rum", "low") == ("fast", "balanced", "best")
    assert efforts_of("dut", "medium") == ("fast", "balanced")
    assert efforts_of(rewrite.CMUDICT, "high") == ("fast", "balanced", "best")


@pytest.mark.needs_data("g2p_cmudict")
def test_any_pronunciation_of_a_word_counts():
    words, wanted = words_of(rewrite.CMUDICT, quick=False)[1]
    assert (words[0], wanted[0]) == ("ABADI", [["AH", "B", "AE", "D", "IY"]])
    assert max(map(len, wanted)) > 1


@pytest.mark.slow
@pytest.mark.needs_data("g2p_sigmorphon2021", "inflection_sigmorphon2017")
def test_quick_rows_on_rewriting(tmp_path):
    found = quick_report("accuracy-rewrite", tmp_path)
    assert {setting for _, setting, _ in found} == {"rum", "forms of georgian"}
    assert {quantity for quantity, _, _ in found} == {MEASURE, CALIBRATION, CPU}
    assert found[MEASURE, "rum", "weft, balanced"] < 50
    assert found[CALIBRATION, "rum", "weft, balanced"] < 0.2
