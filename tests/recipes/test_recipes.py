"""A recipe becomes a model and its card."""

import json

import pytest
from typer.testing import CliRunner

import weft
from weft import models, recipes
from weft.apps.cli import app
from weft.models import bundled_names
from weft.recipes.base import Recipe, Score

RECIPE = Recipe(
    title="labels toys",
    task="tag",
    data="two toys",
    licence="CC0",
    notice="Nobody's toys.",
    settings={"c2": 0.1},
    train=lambda progress: weft.Tagger().fit([["a", "b"]], [["X", "Y"]]),
    evaluate=lambda progress: [Score("tokens wrong", 0.25, "one toy left out", (0.1, 0.4))],
    notes={"input": {"format": "jsonl"}},
    example="weft predict tag-toys toys.jsonl",
)


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    monkeypatch.setitem(recipes.RECIPES, "tag-toys", "toy_recipe")
    monkeypatch.setattr(recipes, "import_module", lambda name: type("module", (), {"RECIPE": RECIPE}))

    def run(*arguments):
        return CliRunner().invoke(app, ["models", *arguments])

    return run


def test_a_model_is_built_listed_shown_and_used(command, tmp_path):
    made = command("--build", "tag-toys", "-o", str(tmp_path), "--json")
    assert made.exit_code == 0, made.stderr
    first = (tmp_path / "tag-toys.weft").read_bytes()
    assert json.loads(command("--json").stdout) == json.loads(made.stdout)
    listed = " ".join(command().stdout.split())
    for fact in ("tag-toys", "tag", "labels toys", "tokens wrong 25.0 %", "CC0"):
        assert fact in listed
    shown = " ".join(command("tag-toys").stdout.split())
    for fact in ("95 % interval 10.0 - 40.0", "one toy left out", "make models MODELS=tag-toys", "Nobody's toys."):
        assert fact in shown
    (tmp_path / "toys.jsonl").write_text('{"tokens": ["a", "b"], "labels": ["X", "Y"]}\n')
    for task in ("predict", "evaluate"):
        used = CliRunner().invoke(app, [task, "tag-toys", str(tmp_path / "toys.jsonl")])
        assert used.exit_code == 0, used.stderr
    command("--build", "tag-toys", "-o", str(tmp_path))
    assert (tmp_path / "tag-toys.weft").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--build"], "no --output given with --build"),
        (["--build", "-o", "missing"], "which is no folder"),
        (["--build", "tag-toy", "-o", "."], "did you mean 'tag-toys'?"),
        (["-o", "."], "given without --build"),
        (["tag"], "no model 'tag' comes with weft"),
    ],
)
def test_what_cannot_be_meant_is_said(command, arguments, said):
    result = command(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_model_is_refused_by_name(command, tmp_path):
    command("--build", "tag-toys", "-o", str(tmp_path))
    result = CliRunner().invoke(app, ["predict", "tag-toyz", "-"])
    assert result.exit_code == 2
    assert "did you mean 'tag-toys'" in result.stderr


def test_every_bundled_model_has_a_recipe():
    assert set(bundled_names()) <= set(recipes.RECIPES)
    for name in recipes.RECIPES:
        assert recipes.find_recipe(name).task


def test_proteins_are_aligned_as_by_the_matrix(tmp_path):
    (tmp_path / "pairs.fa").write_text(">a\nHEAGKvwGHEE\n>b\nHEAGWGHEE\n>c\nPAWHEAE\n>d\nHEAGAWGHEE\n")
    result = CliRunner().invoke(app, ["predict", "align-protein", str(tmp_path / "pairs.fa")])
    assert result.exit_code == 0, result.stderr
    rows = [line for line in result.stdout.splitlines() if not line.startswith(">")]
    pairs = [("HEAGKvwGHEE", "HEAGWGHEE"), ("PAWHEAE", "HEAGAWGHEE")]
    wanted = weft.Aligner.from_matrix("BLOSUM62", mode="end-gaps").set_params(reliable="upper").predict(pairs)
    assert list(zip(rows[::2], rows[1::2], strict=True)) == wanted
    assert rows[0] == "HEAGKvwGHEE"


def test_the_model_of_proteins_is_what_its_recipe_makes():
    made, bundled = recipes.find_recipe("align-protein").train(str), weft.load("align-protein")
    assert bundled.weights_.tolist() == made.weights_.tolist()
    assert (bundled.reliable, bundled.decode, bundled.gamma) == (made.reliable, made.decode, made.gamma)
