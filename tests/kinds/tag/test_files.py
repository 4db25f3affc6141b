"""Files of tokens as users have them: other columns, other keys, a sentence on each line."""

import io
import json

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app
from weft.errors import InputError
from weft.kinds.tag.files import Layout, iter_sentences, read_training
from weft.kinds.texts import FileFormat

SENTENCES = [
    [("Ada", "NP", "B-PER"), ("lives", "VB", "O"), ("in", "IN", "O"), ("Turin", "NP", "B-LOC")],
    [("Bo", "NP", "B-PER"), ("sleeps", "VB", "O")],
] * 4
COLUMNS = "".join("".join(f"x {' '.join(row)} y\n" for row in rows) + "\n" for rows in SENTENCES)
OBJECTS = "".join(
    json.dumps({"words": [row[0] for row in rows], "ner_tags": [row[2] for row in rows]}) + "\n" for rows in SENTENCES
)


def weft_command(*arguments, **options):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_columns_of_tokens_are_numbers_with_the_label_last(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text(COLUMNS)
    examples, layout = read_training(path, FileFormat.CONLL, ("2", "3", "4"))
    assert examples[0].tokens[0] == ["Ada", "NP"]
    assert examples[0].labels == ["B-PER", "O", "O", "B-LOC"]
    assert layout == Layout("conll", columns=2, input_split="blanks", label_split="blanks")
    [example] = iter_sentences(io.StringIO("x Ada\n"), Layout("conll", columns=1), False, ("2", "4"))
    assert (example.tokens, example.labels, example.raw) == (["Ada"], None, [["x", "Ada"]])


@pytest.mark.parametrize(
    ("columns", "labelled", "message"),
    [
        (("word", "tag"), True, "--columns word,tag given for a conll file; need numbers from 1"),
        (("2",), True, "need numbers from 1, those of the token first and that of the label last"),
        (("1", "2", "3"), True, r"has 2 column\(s\) of a token, needed 1 as in training"),
        (("1", "9"), True, r"has 3 column\(s\), but --columns 1,9 given"),
        (("9", "1"), False, r"has 3 column\(s\), but --columns 9,1 given"),
    ],
)
def test_columns_that_are_not_there_are_refused(columns, labelled, message):
    with pytest.raises(InputError, match=message):
        list(iter_sentences(io.StringIO("a b c\n"), Layout("conll", columns=1), labelled, columns))


def test_a_model_remembers_columns_and_reads_other_formats(tmp_path):
    """Chosen columns are of the format that training had; a line of text is split as its tokens were."""
    (tmp_path / "train.conll").write_text(COLUMNS)
    (tmp_path / "train.jsonl").write_text(OBJECTS)
    (tmp_path / "lines.tsv").write_text("Ada sleeps\nBo\n")
    for name, columns in (("train.conll", "2,4"), ("train.jsonl", "words,ner_tags")):
        model = tmp_path / f"{name}.weft"
        weft_command("train", "tag", tmp_path / name, "--columns", columns, "-o", model, "--c2", 0.01)
        scores = json.loads(weft_command("evaluate", model, tmp_path / name, "--json"))
        assert scores["token_accuracy"]["value"] == 1
        lines = weft_command("predict", model, tmp_path / "lines.tsv", "--format", "tsv")
        assert lines == "Ada sleeps\tB-PER O\nBo\tB-PER\n"
    objects = weft_command("predict", tmp_path / "train.conll.weft", tmp_path / "train.jsonl").splitlines()
    assert json.loads(objects[0])["labels"] == ["B-PER", "O", "O", "B-LOC"]
    assert weft_command("predict", tmp_path / "train.jsonl.weft", "-", "--format", "conll", input="Bo\n") == (
        "Bo\tB-PER\n\n"
    )


def test_single_characters_are_split_into_characters(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text("a x\nb y\n\n")
    _, layout = read_training(path, FileFormat.CONLL)
    assert (layout.input_split, layout.label_split) == ("characters", "characters")


def test_a_token_on_each_row_of_a_table_is_told(tmp_path):
    path = tmp_path / "tokens.csv"
    path.write_text("sentence_id,word,tag\n1,Ada,B-PER\n")
    with pytest.raises(InputError, match=r"3 column\(s\) separated by commas, needed 2 .*name them with --columns"):
        read_training(path, FileFormat.CSV)
    with pytest.raises(InputError, match="those of a sequence on one line"):
        read_training(path, FileFormat.CSV, ("word", "tag"))
