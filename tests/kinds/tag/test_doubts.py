"""A sentence on a line is told from a token and its columns."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app

TRAINED = "the DT B\ndog NN I\nsees VB O\n. . O\n\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubts")
    (folder / "train.conll").write_text(TRAINED * 5)
    given = ["train", "tag", folder / "train.conll", "--columns", "1,3", "-o", folder / "m.weft"]
    assert CliRunner().invoke(app, list(map(str, given))).exit_code == 0
    return folder / "m.weft"


def told(model, text, *more):
    result = CliRunner().invoke(app, ["predict", str(model), "-", *more], input=text)
    assert result.exit_code == 0, result.output
    return result.stderr


@pytest.mark.parametrize(
    "text",
    ["the dog\nsees cats\n", "the dog sees\nsees the cats\n", "the dog\tB I\n", "the dog sees\t_ _ _\nthe cats\t_ _\n"],
)
def test_words_in_other_columns_are_doubted(text, model):
    """With as many words as columns a sentence passes for a token, with or without the column of its label."""
    [line] = told(model, text).splitlines()
    assert "is read as one token and its columns, needed one token per line" in line
    assert told(model, text, "--format", "tsv") == ""


@pytest.mark.parametrize(
    "text",
    [
        TRAINED,
        "the DT\ndog NN\n. .\n",
        "the DT _\ndog NN _\n",
        "the\tdog\nsees\tcats\n",
        "New York\tN\nis\tV\nbig\tA\n",
    ],
)
def test_columns_are_not_doubted(text, model):
    assert told(model, text) == ""
