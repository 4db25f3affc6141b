"""Rare classes of training data are named in one line, and ordinary data are not doubted."""

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
