"""Files with one token per line are told from texts with classes, and lists with a few blank lines are not doubted."""

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app

SENTENCES = [
    [("Ada", "B-PER"), ("lives", "O"), ("in", "O"), ("Turin", "B-LOC"), (".", "O")],
    [("Bo", "B-PER"), ("lives", "O"), ("in", "O"), ("Rome", "B-LOC"), (".", "O")],
    [("It", "O"), ("rains", "O"), (".", "O")],
    [("Cy", "B-PER"), ("sees", "O"), ("Ada", "B-PER"), (".", "O")],
]
WORDS = [(f"{a}{b}{c}", "odd" if a in "bd" else "even") for a in "abcde" for b in "iou" for c in "lmnp"]


def written(groups, mark="\t"):
    return "\n".join("".join(f"{mark.join(row)}\n" for row in group) for group in groups)


def told(folder, name, content, *options):
    (folder / name).write_text(content)
    given = ["train", "classify", folder / name, "-o", folder / "m.weft", "--n", 2, "--n-jobs", 1, *options]
    result = CliRunner().invoke(app, list(map(str, given)))
    assert result.exit_code == 0, result.output
    return result.stderr


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("a.conll", SENTENCES),
        ("a.tsv", SENTENCES),
        ("two.conll", SENTENCES[:2]),
        ("a.tsv", [sentence[:-1] for sentence in SENTENCES] * 2),  # no sentence ends alike, but tokens come again
    ],
)
def test_sentences_in_columns_are_doubted_in_one_line(tmp_path, name, groups):
    [line] = told(tmp_path, name, written(groups)).splitlines()
    assert f"{name}: blank lines separate {len(groups)} groups of lines, the first of them 'Ada', 'lives', 'in'" in line
    assert "weft train tag reads files with one token and its label per line" in line


def test_a_header_quotes_and_other_columns_hide_nothing(tmp_path):
    assert "weft train tag" in told(tmp_path, "a.csv", "word,label\n" + written(SENTENCES, ","))
    rows = [[(token, "x", label) for token, label in sentence] for sentence in SENTENCES]
    assert "weft train tag" in told(tmp_path, "b.tsv", written(rows), "--columns", "1,3")


TEXTS = [(f"{word} {word[::-1]}", label) for word, label in WORDS]


@pytest.mark.parametrize(
    "groups",
    [
        [WORDS],
        [WORDS[:20], WORDS[20:45], WORDS[45:]],  # a few blank lines
        [[row] for row in WORDS],  # a blank line after each
        [[row for row in WORDS if row[1] == label] for label in ("odd", "even")] * 2,  # a group for each class
        [TEXTS[i : i + 6] for i in range(0, len(TEXTS), 6)],  # texts, and not tokens
    ],
    ids=["none", "few", "all", "classes", "texts"],
)
def test_blank_lines_among_texts_are_not_doubted(tmp_path, groups):
    assert told(tmp_path, "a.tsv", written(groups)) == ""


def test_other_formats_have_lines_of_their_own(tmp_path):
    lines = [f"__label__{'per' if label != 'O' else 'o'} {token}\n" for row in SENTENCES[:1] for token, label in row]
    assert told(tmp_path, "a.ft", "\n".join(["".join(lines)] * 4)) == ""
