"""Files of tokens as users have them: other columns, other keys, a sentence on each line."""

import gzip
import io
import json

import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.errors import InputError
from weft.kinds.tag.files import Layout, TagFormat, format_inside, iter_sentences, read_training
from weft.sequences.formats.text import NamedBytes

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


def refused_command(*arguments, **options):
    """The one line of an error that the user can fix."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    return line


def test_columns_of_tokens_are_numbers_with_the_label_last(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text(COLUMNS)
    examples, layout = read_training(path, TagFormat.CONLL, ("2", "3", "4"))
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
    _, layout = read_training(path, TagFormat.CONLL)
    assert (layout.input_split, layout.label_split) == ("characters", "characters")


def test_a_token_on_each_row_of_a_table_is_told(tmp_path):
    path = tmp_path / "tokens.csv"
    path.write_text("sentence_id,word,tag\n1,Ada,B-PER\n")
    with pytest.raises(InputError, match=r"3 column\(s\) separated by commas, needed 2 .*name them with --columns"):
        read_training(path, TagFormat.CSV)
    with pytest.raises(InputError, match="those of a sequence on one line"):
        read_training(path, TagFormat.CSV, ("word", "tag"))


ATTRIBUTES = "".join(
    "".join(
        f"{label}\tw={word}\tpos={pos}{'' if k else chr(9) + '__BOS__'}\n" for k, (word, pos, label) in enumerate(rows)
    )
    + "\n"
    for rows in SENTENCES
)


@pytest.mark.parametrize("name", ["train.crfsuite", "train.crfsuite.txt", "train.tsv", "train.txt.gz"])
def test_attributes_of_crfsuite_are_known_by_suffix_or_by_what_is_inside(tmp_path, name):
    path, model = tmp_path / name, tmp_path / "m.weft"
    content = ATTRIBUTES.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    weft_command("train", "tag", path, "-o", model, "--c2", 0.01)
    scores = json.loads(weft_command("evaluate", model, path, "--json"))
    assert scores["token_accuracy"]["value"] == 1
    assert weft_command("predict", model, path).startswith("B-PER\nO\nO\nB-LOC\n\nB-PER\nO\n\n")
    assert weft_command("predict", model, "-", input="?\tw=Bo\n", env={}) == "B-PER\n\n"
    lines = weft_command("predict", model, path, "--confidence", "--kbest", 2).splitlines()
    best, second = lines[0].split("\t")
    assert (best[:8], second[:8]) == ("B-PER:0.", "B-PER:0.")
    [item, *_] = weft_command("predict", model, path, "--json").splitlines()
    assert json.loads(item) == {
        "tokens": [{"w=Ada": 1, "pos=NP": 1, "__BOS__": 1}]
        + [{f"w={w}": 1, f"pos={p}": 1} for w, p, _ in SENTENCES[0][1:]],
        "gold": ["B-PER", "O", "O", "B-LOC"],
        "labels": ["B-PER", "O", "O", "B-LOC"],
    }


def test_models_of_dicts_read_attributes_of_crfsuite_too(tmp_path):
    """What python-crfsuite calls key:value is an attribute whose colon has a backslash in a file."""
    objects = tmp_path / "train.jsonl"
    lines = [{"tokens": [{"w": w} for w, _, _ in rows], "labels": [b for _, _, b in rows]} for rows in SENTENCES]
    objects.write_text("".join(json.dumps(line) + "\n" for line in lines))
    weft_command("train", "tag", objects, "-o", tmp_path / "m.weft", "--c2", 0.01)
    (tmp_path / "new.txt").write_text("?\tw\\:Ada\tx=1\n?\tw\\:lives\n")
    assert weft_command("predict", tmp_path / "m.weft", tmp_path / "new.txt") == "B-PER\nO\n\n"


def test_weights_of_sequences_count(tmp_path):
    """A sequence of weight 3 is learned as three are; parts of data have none."""
    block, other = "B\tw=a\nO\tw=b\n\n", "O\tw=a\n\n"
    for name, text in (("once", f"@weight:3\n{block}{other}"), ("thrice", f"{block * 3}{other}")):
        (tmp_path / f"{name}.crfsuite").write_text(text)
        weft_command("train", "tag", tmp_path / f"{name}.crfsuite", "-o", tmp_path / f"{name}.weft")
    once, thrice = (weft.load(tmp_path / f"{name}.weft").state_features_ for name in ("once", "thrice"))
    assert once == pytest.approx(thrice, abs=1e-6)
    path, folder = tmp_path / "once.crfsuite", tmp_path / "spilled"
    refused = refused_command("train", "tag", path, "-o", tmp_path / "x.weft", "--spill", folder)
    assert "once.crfsuite has @weight, and data in parts have no weights" in refused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("B\tw=a\tpos=b\nO\tw=c\n", TagFormat.CRFSUITE),
        ("B\ta=1\tb=1\tc=1\nO\ta=1\tb=1\tc=1\n", TagFormat.CRFSUITE),
        ("Rain\tNumber=Sing\n\nfell\tTense=Past\n", TagFormat.CONLL),  # a word and its features
        ("Rain\tNN\tNumber=Sing\n\n", TagFormat.CONLL),
        ("a b\tx=1 y=2\n", TagFormat.TSV),
    ],
)
def test_what_is_inside_tells_attributes_from_columns(text, wanted):
    data = NamedBytes(text.encode(), "x.tsv")
    assert format_inside(data) == wanted
    assert data.tell() == 0


def test_attributes_are_refused_where_they_cannot_be_meant(tmp_path):
    (tmp_path / "train.conll").write_text(COLUMNS)
    (tmp_path / "new.crfsuite").write_text(ATTRIBUTES)
    weft_command("train", "tag", tmp_path / "train.conll", "--columns", "2,4", "-o", tmp_path / "m.weft")
    for arguments, message in (
        (["predict", "m.weft", "new.crfsuite"], "m.weft was not trained on such; give the form of the training data"),
        (
            ["train", "tag", "new.crfsuite", "--columns", "1,2", "-o", "x.weft"],
            "--columns 1,2 given for a crfsuite file",
        ),
        (["train", "tag", "new.crfsuite", "--width", "2", "-o", "x.weft"], "leave the window options out"),
    ):
        assert message in refused_command(*(tmp_path / each if "." in each else each for each in arguments))


def test_conllu_is_learned_from_by_columns_alone(tmp_path):
    """Its last column is no label; lines that are no words are not learned."""
    rows = ["1-2\tdon't" + "\t_" * 8, "1\tdo\t_\tAUX\t_\t_\t2\taux\t_\t_", "2\tnot\t_\tPART\t_\t_\t0\troot\t_\t_"]
    path = tmp_path / "bank.conllu"
    path.write_text("# sent_id = 1\n" + "\n".join(rows) + "\n\n")
    model = tmp_path / "m.weft"
    assert "is CoNLL-U, whose last column has no labels; say which" in refused_command(
        "train", "tag", path, "-o", model
    )
    said = json.loads(weft_command("train", "tag", path, "--columns", "2,4", "-o", model, "--json"))
    assert (said["tokens"], said["labels"]) == (2, 2)
    (tmp_path / "g.txt").write_text("S -> A B\nA -> do\nB -> not\n")
    refused = refused_command("train", "parse", tmp_path / "g.txt", path, "-o", model)
    assert "has columns, as files of dependencies do, needed bracketed trees" in refused
