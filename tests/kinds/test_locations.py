"""Where in a file an example stands that an estimator refuses."""

from __future__ import annotations

from functools import partial

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app
from weft.errors import InputError
from weft.kinds.align.kind import AlignKind
from weft.kinds.classify.kind import ClassifyKind
from weft.kinds.fold.kind import FoldKind
from weft.kinds.locations import in_file, noted
from weft.kinds.parse.kind import ParseKind
from weft.kinds.regress.kind import RegressKind
from weft.kinds.tag.kind import TagKind
from weft.sequences.formats.text import CountedPath, NamedBytes

FASTA = "\n>a\nAC\nGU\n\n>b\nACGU\n>c\nAC\nGU\n"


@pytest.mark.parametrize(
    ("kind", "file_format", "labelled", "text", "wanted"),
    [
        (FoldKind, "fasta", False, FASTA, [1, 6, 8]),  # the first from the beginning of the file on
        (AlignKind, "fasta", False, FASTA + ">d\nACG\n", [1, 8]),
        (FoldKind, "lines", False, "ACGU\n\nACG\n", [1, 3]),
        (FoldKind, "fastq", False, "@a\nACGU\n+\nIIII\n@b\nACG\n+\nIII\n", [1, 5]),
        (FoldKind, "dotbracket", True, ">a\nACGU\n(..)\nACG\n...\n", [1, 4]),
        (FoldKind, "tsv", True, "ACGU\t(..)\nACG\t...\n", [1, 2]),
        (FoldKind, "ct", True, "1 a\n1 A 0 2 0 1\n1 b\n1 C 0 2 0 1\n", [1, 3]),
        (FoldKind, "bpseq", True, "# a\n1 A 0\n2 C 0\n1 G 0\n2 U 0\n", [1, 4]),
        (TagKind, "conll", True, "a X\nb Y\n\nc X\n\nd Y\n", [1, 4, 6]),
        (TagKind, "jsonl", True, '{"tokens": ["a"], "labels": ["X"]}\n\n{"tokens": ["b"], "labels": ["Y"]}\n', [1, 3]),
        (ClassifyKind, "tsv", True, "good\ty\nbad\tn\n", [1, 2]),
        (ClassifyKind, "fasttext", True, "__label__y good\n__label__n bad\n", [1, 2]),
        (RegressKind, "tsv", True, "a\tb\nc\td\n", [1, 2]),
        (ParseKind, "lines", False, "the cat\nthe dog\n", [1, 2]),
    ],
)
@pytest.mark.parametrize("path", [False, True])
def test_lines_in_which_examples_begin_are_noted(kind, file_format, labelled, text, wanted, path, tmp_path):
    (tmp_path / "file").write_text(text)
    source = CountedPath(tmp_path / "file") if path else NamedBytes(text.encode(), "file")
    reading = kind()
    chosen = type(reading).formats(file_format)
    assert len(list(noted(reading, source, chosen, labelled))) == len(wanted)
    assert list(reading.lines_of.values()) == wanted


def test_several_files_and_plain_streams_have_no_lines(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("ACGU\nACG\n")
    kind = FoldKind()
    source = kind.open(f"{tmp_path}/[ab]")
    assert len(list(noted(kind, source, type(kind).formats("lines"), labelled=False))) == 4
    assert kind.lines_of == {}


def test_errors_of_estimators_name_the_line(tmp_path):
    (tmp_path / "p.fa").write_text(">a\nMKV\n>b\nMKV\n>c\nMK\nV\n>d\nMK1\n")
    wanted = "line 5, pair 2 (c d) has '1' at position 2"
    for file, text in ((str(tmp_path / "p.fa"), None), ("-", (tmp_path / "p.fa").read_text())):
        result = CliRunner().invoke(app, ["predict", "align-protein", file], input=text)
        assert result.exit_code == 2
        if text is None:
            assert f"p.fa, {wanted}" in result.stderr
        else:
            assert "pair 2 (c d) has '1'" in result.stderr  # a pipe that is not one of the system has no lines


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("X holds lists; fix X.", "a.tsv holds lists; fix a.tsv."),
        ("y has one class only, 'y'; add examples.", "a.tsv has one class only, 'y'; add examples."),
        ("3 outputs of y, such as y[1].", "3 outputs of a.tsv, such as a.tsv, line 7, text 2."),
        (
            'X[0] has "the X of y", not a perceptron\'s y.',
            'a.tsv, line 5, text 1 has "the X of y", not a perceptron\'s a.tsv.',
        ),
        ("X.shape of (X, y) and [X]; pass axis=X", "X.shape of (X, y) and [X]; pass axis=X"),
        ("tags of X_dev, first in X_dev[2]", "tags of the held-out data, first in held-out text 3"),
        ("use unknown='copy' or 'drop'.", "use --unknown copy or drop of weft train."),
    ],
)
def test_names_of_data_become_that_of_the_file(said, wanted):
    lines = {0: 5, 1: 7}
    assert str(in_file(InputError(said), "a.tsv", "text", [], command=" of weft train", lines=lines)) == wanted


def test_unknown_tags_and_folds_name_the_file(tmp_path):
    rows = [(w, w + end, f"V;{tag}") for w in ("walk", "talk", "look") for tag, end in (("PST", "ed"), ("PRS", "s"))]
    (tmp_path / "forms.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    (tmp_path / "new.tsv").write_text("walk\twalked\tV;PST\nlook\tlooked\tV;FUT\n")
    (tmp_path / "rare.tsv").write_text("abc\tx\nabd\tx\nabe\tx\nbb\ty\n")
    model = tmp_path / "m.weft"
    run = partial(CliRunner().invoke, app)
    assert run(["train", "rewrite", str(tmp_path / "forms.tsv"), "-o", str(model), "--n-jobs", "1"]).exit_code == 0
    [line] = run(["evaluate", str(model), str(tmp_path / "new.tsv")]).stderr.replace(f"{tmp_path}/", "").splitlines()
    assert line.endswith("'FUT' (1), first in new.tsv, line 2, pair 2; they are passed over.")
    train = ["train", "classify", str(tmp_path / "rare.tsv"), "-o", str(model), "--cv", "2", "--n-jobs", "1"]
    assert "a fold of " in run(train).stderr


def test_classes_called_as_data_is_keep_their_names(tmp_path):
    (tmp_path / "yn.tsv").write_text("good film\ty\nbad film\tn\ngood one\ty\nbad one\tn\n")
    (tmp_path / "yn2.tsv").write_text("good\ty\nso so\tmaybe\n")
    train = ["train", "classify", str(tmp_path / "yn.tsv"), "-o", str(tmp_path / "m.weft"), "--C", "1"]
    result = CliRunner().invoke(app, [*train, "--dev", str(tmp_path / "yn2.tsv")])
    assert result.exit_code == 2
    assert "held-out text 2 is 'maybe', not a known class; known are 'n', 'y'." in result.stderr
    assert "yn.tsv" not in result.stderr


def test_warnings_of_estimators_name_the_file(tmp_path):
    (tmp_path / "words.txt").write_text("cat\nd§g\n")
    result = CliRunner().invoke(app, ["predict", "pronounce-en", str(tmp_path / "words.txt")])
    assert result.exit_code == 0
    said = result.stderr.replace(f"{tmp_path}/", "")
    assert "unknown symbols of words.txt (1), not in the training data: '§' (1)" in said
