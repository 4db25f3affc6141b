"""Train, predict and evaluate string regressors from files; the demo; what cannot be used."""

import itertools
import json

import pytest
from typer.testing import CliRunner

import weft
from weft.apps import demo_digits
from weft.apps.cli import app

runner = CliRunner()

PAIRS = [
    ("uno", "one"),
    ("dos", "two"),
    ("tres", "three"),
    ("uno dos", "one two"),
    ("dos tres", "two three"),
    ("uno tres", "one three"),
]


def run(*arguments, code=0, text=None):
    result = runner.invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("regress")
    (path / "train.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS))
    objects = (json.dumps({"input": a, "output": b}) for a, b in PAIRS)
    (path / "train.jsonl").write_text("".join(f"{each}\n" for each in objects))
    run("train", "regress", path / "train.tsv", "-o", path / "model.weft", "--output-order", 3)
    return path


def test_train_says_what_it_learned(folder, tmp_path):
    arguments = ("train", "regress", folder / "train.jsonl", "-o", tmp_path / "m.weft")
    facts = json.loads(run(*arguments, "--json", "--alpha", 0.01, "--alpha", 1).stdout)
    assert (facts["pairs"], facts["symbols"]) == (6, 8)
    assert facts["alpha"] in (0.01, 1.0)
    assert facts["n_grams"] == weft.load(tmp_path / "m.weft").space_.n_grams
    assert "model size" in run(*arguments, "--preimage", "euler", "--output-order", 2, "--language-model", 2).stdout
    assert "model size" in run(*arguments, "--n-regressors", 3).stdout
    assert "only n_regressors=1" in run(*arguments, "--n-regressors", 3, "--output-order", 2, code=2).stderr
    with_words = run(*arguments, "--units", "words", "--n", 1, "--output-order", 2).stdout
    assert "pairs" in with_words
    assert weft.load(tmp_path / "m.weft").predict([["uno", "dos"]]) == [["one", "two"]]


def test_predict_pairs_json_and_streams(folder):
    lines = run("predict", folder / "model.weft", folder / "train.tsv").stdout.splitlines()
    assert lines == [f"{a}\t{b}" for a, b in PAIRS]
    first = json.loads(
        run("predict", folder / "model.weft", folder / "train.jsonl", "--confidence", "--kbest", 3).stdout.splitlines()[
            0
        ]
    )
    assert first["output"] == first["gold"] == first["kbest"][0]["output"] == "one"
    assert first["confidence"] == first["kbest"][0]["probability"]
    assert first["is_proven"] is True
    assert run("predict", folder / "model.weft", "-", text="dos\n").stdout == "dos\ttwo\n"
    fields = run("predict", folder / "model.weft", "-", "--kbest", 2, "--confidence", text="dos\n").stdout.split("\t")
    assert fields[:2] == ["dos", "two"]
    assert 1.0 >= float(fields[3]) >= float(fields[4]) > 0.0


def test_sets_with_a_stated_coverage(folder):
    pairs = folder / "train.tsv"
    asked = ["predict", folder / "model.weft", pairs, "--calibration", pairs, "--coverage"]
    model = weft.load(folder / "model.weft")
    wanted = weft.PredictionSets(model, 0.8).fit(*zip(*PAIRS, strict=True)).predict([a for a, _ in PAIRS])
    lines = run(*asked, 0.8).stdout.splitlines()
    assert [line.split("\t") for line in lines] == [[a, *found] for (a, _), found in zip(PAIRS, wanted, strict=True)]
    few = run(*asked, 0.8, "--kbest", 2, "--confidence").stdout.splitlines()
    assert all(0.0 < float(line.split("\t")[-1]) <= 1.0 for line in few)
    assert "6 examples given; a coverage of 0.9 needs at least 9" in run(*asked, 0.9, code=2).stderr


def test_what_a_narrow_search_has_not_shown_is_said(tmp_path):
    code = {"a": "xy", "b": "y", "c": "zx", "d": "z", "e": "w", "f": "wz"}
    words = ["".join(each) for each in itertools.islice(itertools.permutations("abcdef", 4), 0, 360, 9)]
    X, y = words[::2], ["".join(code[letter] for letter in word) for word in words[::2]]
    model = weft.StringRegressor(weft.NGramKernel(1), output_order=2, alpha=0.1, beam_width=1).fit(X, y)
    proven = model.is_proven(words)
    assert 0 < proven.sum() < len(words)
    weft.save(model, tmp_path / "narrow.weft")
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in words))
    lines = run("predict", tmp_path / "narrow.weft", tmp_path / "words.txt", "--confidence", "--json").stdout
    assert [json.loads(line)["is_proven"] for line in lines.splitlines()] == proven.tolist()
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(X, y, strict=True)))
    run("report", tmp_path / "narrow.weft", tmp_path / "pairs.tsv", "-o", tmp_path / "page.html")
    assert f"{model.is_proven(X).sum()} of {len(X)} strings" in (tmp_path / "page.html").read_text()


def test_evaluate(folder):
    scores = json.loads(run("evaluate", folder / "model.weft", folder / "train.tsv", "--json").stdout)
    assert scores["string_accuracy"]["value"] == 1.0
    assert scores["edit_error"]["value"] == 0.0
    assert "strings right           100.00 %" in run("evaluate", folder / "model.weft", folder / "train.jsonl").stdout


def test_the_demo_reads_codes_and_leaves_a_model(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, value in {"N_CODES": 8, "N_TRAIN": 60, "N_TEST": 30, "N_SAMPLE": 5}.items():
        monkeypatch.setattr(demo_digits, name, value)
    out = run("demo", "digits").stdout
    assert "nearest string of all" in out
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  weft ")]
    assert [command[0] for command in commands] == ["evaluate", "predict"]
    for command in commands:
        run(*command)
    facts = json.loads(run("demo", "digits", "--json", "--random-state", 1).stdout)
    assert facts["nearest"]["digits_right"] > 0.6
    assert facts["nearest"]["digits_right"] > facts["digits_right_in_new_codes"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a\tb\tc\n", (), "line 1: 3 column(s)"),
        ("a\n", (), "line 1: 1 column(s)"),
        ("a\t\n", (), "none of them empty"),
        ("", (), "holds no pairs"),
        ("a\tb\n", ("--format", "conll"), "give tsv, csv or jsonl"),
        ('{"input": 3, "output": "b"}\n', ("--format", "jsonl"), '"input" is not a string'),
        ('{"input": "a", "output": 3}\n', ("--format", "jsonl"), "\"output\" is '3'"),
        ('{"input": [[1, 2], [3]], "output": "b"}\n', ("--format", "jsonl"), '"input" is not a string'),
        ('{"input": [[1, 2]], "output": "b"}\n', ("--format", "jsonl", "--n", "2"), "--n 2 given"),
    ],
)
def test_bad_files(content, options, message, tmp_path):
    (tmp_path / "bad.txt").write_text(content)
    result = run("train", "regress", tmp_path / "bad.txt", "-o", tmp_path / "m.weft", *options, code=2)
    assert message in result.stderr
    assert not (tmp_path / "m.weft").exists()


def test_euler_models_have_no_ranking(folder, tmp_path):
    run("train", "regress", folder / "train.tsv", "-o", tmp_path / "m.weft", "--preimage", "euler", "--output-order", 2)
    result = run("predict", tmp_path / "m.weft", folder / "train.tsv", "--kbest", 2, code=2)
    assert "--preimage nearest" in result.stderr
    asked = ("--coverage", 0.5, "--calibration", folder / "train.tsv")
    assert "--preimage nearest" in run("predict", tmp_path / "m.weft", folder / "train.tsv", *asked, code=2).stderr
