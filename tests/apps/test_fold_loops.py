"""`weft train fold --grammar loops`: from a file to a model that predicts."""

from typer.testing import CliRunner

from weft.apps.cli import app

runner = CliRunner()
RECORDS = ">one\nGGGAAACCC\n(((...)))\n>two\nGCGCAAAAGCGC\n((((....))))\n"


def run(*arguments, code=0, text=None):
    result = runner.invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output + result.stderr
    return result


def test_train_and_predict(tmp_path):
    source, model = tmp_path / "hairpins.dbn", tmp_path / "hairpins.weft"
    source.write_text(RECORDS)
    run(
        "train",
        "fold",
        source,
        "-o",
        model,
        "--grammar",
        "loops",
        "--decode",
        "expected",
        "--gamma",
        2,
        "--c2",
        1,
        "--n-jobs",
        1,
    )
    assert run("predict", model, "-", text="CCGGAAAACCGG\n").stdout == "CCGGAAAACCGG\n((((....))))\n"


def test_what_cannot_be_used_is_refused(tmp_path):
    source = tmp_path / "hairpins.dbn"
    source.write_text(RECORDS)
    arguments = ("train", "fold", source, "-o", tmp_path / "model.weft", "--grammar", "loops")
    assert "gamma is 0.0" in run(*arguments, "--gamma", 0, code=2).stderr
    assert "Generative needs 'generative_weights'" in run(*arguments, "--learner", "generative", code=2).stderr
