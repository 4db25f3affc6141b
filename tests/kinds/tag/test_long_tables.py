"""Tables with a token a row, as the well-known table of named entities has them."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.errors import InputError
from weft.kinds.tag.files import Layout
from weft.kinds.tag.long_tables import TableRows, iter_long, read_long_training, table_lines

SENTENCES = [
    [("Ada", "NP", "B-per"), (",", ",", "O"), ("lives", "VB", "O"), ("in", "IN", "O"), ("Turin", "NP", "B-geo")],
    [("Bo", "NP", "B-per"), ("sleeps", "VB", "O")],
    [("Cy", "NP", "B-per"), ("lives", "VB", "O")],
] * 3
HEADER = ["Sentence #", "Word", "POS", "Tag"]


def table(comma=True, repeated=False, n_columns=4, header=True):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="," if comma else "\t", lineterminator="\n")
    if header:
        writer.writerow(HEADER[:n_columns])
    for number, rows in enumerate(SENTENCES, start=1):
        for k, row in enumerate(rows):
            writer.writerow([f"Sentence: {number}" if repeated or k == 0 else "", *row][:n_columns])
    return stream.getvalue()


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def weft_command(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("name", ["ner.csv", "ner.tsv"])
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("columns", [None, "Word,Tag"])
def test_a_table_with_a_token_a_row_is_learned_from_and_answered(tmp_path, name, repeated, columns):
    """A model keeps the column, needs no labels to predict, and writes the table with a column more."""
    comma = name.endswith(".csv")
    path, model, new = tmp_path / name, tmp_path / "m.weft", tmp_path / f"new_{name}"
    path.write_text(table(comma, repeated))
    new.write_text(table(comma, repeated, n_columns=3))
    chosen = [] if columns is None else ["--columns", columns]
    said = json.loads(weft_command("train", "tag", path, "--group", "sentence #", *chosen, "-o", model, "--json"))
    assert (said["sequences"], said["tokens"]) == (len(SENTENCES), sum(map(len, SENTENCES)))
    assert json.loads(weft_command("evaluate", model, path, "--json"))["token_accuracy"]["value"] == 1
    written = list(csv.reader(io.StringIO(weft_command("predict", model, new)), delimiter="," if comma else "\t"))
    given = list(csv.reader(io.StringIO(new.read_text()), delimiter="," if comma else "\t"))
    assert written[0] == [*given[0], "predicted"]
    assert [row[:-1] for row in written] == given
    assert [row[-1] for row in written[1:]] == [row[-1] for rows in SENTENCES for row in rows]


def test_more_columns_of_answers(tmp_path):
    path, model = tmp_path / "ner.csv", tmp_path / "m.weft"
    path.write_text(table())
    weft_command("train", "tag", path, "--group", "Sentence #", "-o", model)
    header, first, *_ = weft_command("predict", model, path, "--kbest", 2, "--confidence").splitlines()
    assert header == "Sentence #,Word,POS,Tag,predicted,predicted_2,probability,probability_2"
    assert first.startswith("Sentence: 1,Ada,NP,B-per,B-per,")
    item, *_ = weft_command("predict", model, path, "--json").splitlines()
    assert json.loads(item)["tokens"][0] == ["Ada", "NP"]
    assert json.loads(item)["gold"] == [row[-1] for row in SENTENCES[0]]


def test_a_model_of_a_table_reads_sentences_on_lines_too(tmp_path):
    path, model, lines = tmp_path / "ner.csv", tmp_path / "m.weft", tmp_path / "new.tsv"
    path.write_text(table())
    lines.write_text("Ada sleeps\nCy\n")
    weft_command("train", "tag", path, "--group", "Sentence #", "--columns", "Word,Tag", "-o", model)
    assert weft_command("predict", model, lines) == "Ada sleeps\tB-per O\nCy\tB-per\n"


def test_two_tables_are_compared(tmp_path):
    (tmp_path / "a.csv").write_text(table())
    (tmp_path / "b.csv").write_text(table().replace("B-geo", "O", 1))
    arguments = ["--task", "tag", "--group", "Sentence #", "--columns", "Word,Tag", "--json"]
    found = json.loads(weft_command("compare", tmp_path / "a.csv", tmp_path / "b.csv", *arguments))
    n_tokens = sum(map(len, SENTENCES))
    assert found["token_accuracy"]["value"] == pytest.approx((n_tokens - 1) / n_tokens)


def test_columns_by_numbers_without_a_header():
    text = table(comma=False, header=False)
    examples, layout, columns = read_long_training(io.StringIO(text), False, "1", None)
    assert columns == ("2", "3", "4")
    assert layout == Layout("tsv", columns=2, input_split="blanks", label_split="blanks")
    assert examples[1].tokens == [["Bo", "NP"], ["sleeps", "VB"]]
    unlabelled = "".join("\t".join(line.split("\t")[:3]) + "\n" for line in text.splitlines())
    [first, *_] = iter_long(io.StringIO(unlabelled), False, "1", layout, False, columns)
    assert (first.tokens, first.labels, first.line) == (examples[0].tokens, None, 1)


def test_empty_labels_are_none_where_none_are_needed():
    text = "id\tword\ttag\n1\ta\t\n1\tb\tN\n"
    [example] = iter_long(io.StringIO(text), False, "id", Layout("tsv", 1), False, ["word", "tag"])
    assert (example.tokens, example.labels) == (["a", "b"], None)
    with pytest.raises(
        InputError, match="line 2: column 'tag' is empty in row 1 of the sequence that begins here; give"
    ):
        list(iter_long(io.StringIO(text), False, "id", Layout("tsv", 1), True, ["word", "tag"]))


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("id,tag\n1,N\n", None, r"has 1 column\(s\) beside 'id', needed at least 2"),
        ("id,word,tag\n", None, "holds no sequences"),
        ("id,word,tag\n1,a,\n", None, "column 'tag' is empty"),
        ("id,word,tag\n1,a,N\n", ["word", "pos"], "no column 'pos'; the columns are 'id', 'word', 'tag': name one"),
    ],
)
def test_tables_that_cannot_be_learned_from(text, columns, message):
    with pytest.raises(InputError, match=message):
        read_long_training(io.StringIO(text), True, "id", columns)


def test_another_number_of_columns_than_in_training_is_refused():
    with pytest.raises(InputError, match=r"line 2: 3 column\(s\) beside 'id', needed 1 as in training; name them"):
        list(iter_long(io.StringIO("id,a,b,c\n1,x,y,z\n"), True, "id", Layout("csv", 1), False))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["train", "tag", "x.conll", "--group", "id", "-o", "m.weft"],
            "--group id given, but the file is read as conll",
        ),
        (["train", "tag", "ner.csv", "--group", " ", "-o", "m.weft"], "--group is empty; give the name of a column"),
        (["train", "tag", "ner.csv", "-o", "m.weft"], "say which column tells its sequence: --group NAME"),
        (["train", "tag", "ner.csv", "--columns", "Word,Tag", "-o", "m.weft"], "tells its sequence: --group NAME"),
        (["predict", "c.weft", "ner.csv", "--group", "id"], "puts texts into classes has no use for it"),
    ],
)
def test_a_group_is_refused_or_asked_for_in_one_line(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ner.csv").write_text(table())
    (tmp_path / "x.conll").write_text("a B\n")
    weft.save(weft.SequenceSVC(weft.NGramKernel(1)).fit(["a", "b"], ["x", "y"]), "c.weft")
    result = run(*arguments)
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert message in line


def test_errors_of_estimators_name_the_line_of_the_sequence(tmp_path):
    """The header and longer sequences before it are counted."""
    path, model = tmp_path / "ner.csv", tmp_path / "m.weft"
    path.write_text(table().replace("Bo,NP,B-per", "Bo,NP,I-org", 1))
    refused = run("train", "tag", path, "--group", "Sentence #", "-o", model, "--constraints", "BIO")
    assert "line 7" in refused.stderr


def test_a_line_break_in_a_cell_stays_within_quotes():
    table = TableRows(None, [["1", "a\nb"], ["1", 'say "hi"']])
    lines = list(table_lines(table, [["N", "V"]], ["predicted"], True, with_header=False))
    assert list(csv.reader(io.StringIO("\n".join(lines)))) == [["1", "a\nb", "N"], ["1", 'say "hi"', "V"]]


def test_the_column_that_groups_is_no_token():
    with pytest.raises(InputError, match="--group id is one of --columns id,t; give the columns of tokens"):
        read_long_training(io.StringIO("id,w,t\n1,a,N\n"), True, "id", ["id", "t"])


@pytest.mark.parametrize("name", ["1", "s1"])
def test_names_of_columns_are_no_token(name, tmp_path):
    """Columns by numbers have no header: one that is there is refused at training and at predicting."""
    rows = f"{name},the,D\n{name},cat,N\n{name}0,a,D\n{name}0,dog,N\n"
    (tmp_path / "plain.csv").write_text(rows)
    (tmp_path / "named.csv").write_text(f"sid,tok,lab\n{rows}")
    weft_command("train", "tag", tmp_path / "plain.csv", "--group", "1", "-o", tmp_path / "m.weft")
    for command in (["predict", "m.weft", "named.csv"], ["train", "tag", "named.csv", "--group", "1", "-o", "x.weft"]):
        given = [str(tmp_path / each) if "." in each else each for each in command]
        result = CliRunner().invoke(app, given)
        assert result.exit_code == 2
        assert "named.csv, line 1: 'sid', 'tok', 'lab' look like names of columns" in result.stderr


def test_a_missing_key_is_called_as_the_user_calls_it(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"tokens": ["a"], "tags": ["N"]}\n')
    asked = ["train", "tag", tmp_path / "a.jsonl", "--columns", "tokens,gold", "-o", tmp_path / "m.weft"]
    said = CliRunner().invoke(app, list(map(str, asked))).stderr
    assert "line 1: keys 'tokens', 'tags', needed 'gold'; add it, or name the keys to read with --columns" in said
