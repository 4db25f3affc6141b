"""Rare classes and contradictions of training data are named in one line, and ordinary data are not doubted."""

import json

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app

WORDS = [f"{a}{b}{c}{d}" for a in "abcde" for b in "iou" for c in "lmnp" for d in "aeu"]


def told(folder, rows, *options, name="a.tsv"):
    (folder / name).write_text("".join(f"{text}\t{label}\n" for text, label in rows))
    given = ["train", "classify", folder / name, "-o", folder / "m.weft", "--n", 2, "--n-jobs", 1, *options]
    result = CliRunner().invoke(app, list(map(str, given)))
    assert result.exit_code == 0, result.output
    return result.stderr


def rows_of(**counts):
    """Different texts, so many of each class."""
    labels = [label for label, n in counts.items() for _ in range(n)]
    return list(zip(WORDS, labels, strict=False))


def test_a_rare_class_names_the_option(tmp_path):
    rows = rows_of(many=96, few=4)
    [line] = told(tmp_path, rows).splitlines()
    assert "a.tsv: class 'few' has 4 of 100 texts, and may hardly ever be predicted; --balanced gives" in line
    assert told(tmp_path, rows, "--balanced") == ""
    assert "class 'c' has 2 of 100 texts, as does one other class, and" in told(tmp_path, rows_of(a=95, b=3, c=2))
    assert "class 'c' has 2 of 102 texts, as do 2 other classes," in told(tmp_path, rows_of(a=94, b=3, c=2, d=3))


@pytest.mark.parametrize(
    "counts",
    [
        {"many": 95, "few": 5},
        {"many": 60, "few": 40},
        {"many": 15, "few": 1},  # too few texts
        {"many": 99, "one": 1},  # no weight makes a class of one text known
        {f"c{i}": 4 for i in range(30)},  # many classes, all small
    ],
    ids=str,
)
def test_other_classes_are_not_rare(tmp_path, counts):
    assert told(tmp_path, rows_of(**counts)[::-1]) == ""


def test_texts_with_several_labels_are_counted_and_one_is_shown(tmp_path):
    rows = rows_of(a=10, b=10)
    [line] = told(tmp_path, [("text", "label"), *rows, (WORDS[2], "b"), (WORDS[3], "b"), (WORDS[2], "b")]).splitlines()
    assert (
        f"a.tsv: 2 texts have different labels in different places, such as {WORDS[2]!r} with 'a' in line 4 and" in line
    )
    assert "'b' in line 22; a text has one class" in line
    assert "1 text has different labels" in told(tmp_path, [*rows, (WORDS[2], "b")])
    assert told(tmp_path, [*rows, *rows]) == ""  # the same label each time


def test_json_lines_and_words_are_compared_as_they_are_learned(tmp_path):
    items = [("to  be", "x"), ("or not", "y"), ("to be", "y"), ("it is", "x")]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in items))
    given = ["train", "classify", tmp_path / "a.jsonl", "-o", tmp_path / "m.weft", "--n", "1", "--units"]
    said = [CliRunner().invoke(app, list(map(str, [*given, units]))).stderr for units in ("words", "characters")]
    assert "with 'x' in line 1 and 'y' in line 3" in said[0]
    assert said[1] == ""
