"""What all `weft train` commands share: files of settings, cross-validation, tuning, going on after an interrupt."""

import json
import signal
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.checkpoint.array_file import read_array_file
from weft.kinds import kind_of_command, training
from weft.kinds.options import LEARNERS
from weft.kinds.resampling import folds_of
from weft.kinds.rewrite.training import USUAL
from weft.kinds.tuning import grid_of
from weft.model_file import read_header

COLUMNS = "a x\nb y\na x\n\nb y\nb x\na x\n\nb y\na x\n\nc y\na y\n\n"


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def facts_of(*arguments, **options):
    result = run(*arguments, "--json", **options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def error_of(*arguments, **options):
    result = run(*arguments, **options)
    assert result.exit_code == 2, result.output
    [line] = result.stderr.splitlines()
    return line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.conll").write_text(COLUMNS * 3)
    return tmp_path


def contents(path):
    """Arrays of a model, and its header without times and paths."""
    header, arrays = read_array_file(path)
    header.pop("summary")
    return json.dumps(header).split('"history"')[0], arrays


def assert_same_model(first, second):
    (header, arrays), (other, others) = contents(first), contents(second)
    assert header == other
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert np.array_equal(array, others[name]), name


# ------------------------------------------------------------------- settings


def test_a_run_is_made_again_from_a_file_and_from_the_model(folder):
    options = ("--learner", "perceptron", "--max-iter", 3, "--random-state", 7, "--no-shape", "--n-jobs", 1)
    facts_of("train", "tag", "train.conll", "-o", "m.weft", *options, "--save-config", "run.toml")
    settings = tomllib.loads((folder / "run.toml").read_text())
    assert settings["command"] == "tag"
    assert (settings["file"], settings["output"]) == ("train.conll", "m.weft")
    assert (settings["shape"], settings["random-state"]) == (False, 7)
    (folder / "m.weft").rename(folder / "first.weft")
    facts_of("train", "--config", "run.toml")
    assert_same_model("first.weft", "m.weft")
    facts_of("train", "--config=first.weft", "-o", "again.weft")
    assert_same_model("first.weft", "again.weft")
    assert settings.pop("n-jobs") == 1  # a model is the same for any number
    assert read_header("again.weft").summary["run"] == {**settings, "output": "again.weft"}


def test_the_command_line_wins(folder):
    (folder / "run.toml").write_text('file = "train.conll"\noutput = "m.weft"\nc2 = 5\nmax_iter = 3\nn-jobs = 1\n')
    facts_of("train", "tag", "--config", "run.toml", "--c2", 0.5, "train.conll")
    learner = weft.load("m.weft").learner
    assert (learner.c2, learner.max_iter) == (0.5, 3)


def test_lists_and_positions_of_other_commands(folder):
    (folder / "pairs.tsv").write_text("uno\tone\ndos\ttwo\n")
    (folder / "run.toml").write_text('command = "regress"\nfile = "pairs.tsv"\noutput = "m.weft"\nalpha = [0.1, 1]\n')
    facts_of("train", "--config", "run.toml")
    assert weft.load("m.weft").alpha == [0.1, 1.0]
    assert read_header("m.weft").summary["run"]["alpha"] == [0.1, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c3 = 1", "run.toml: 'c3' is not an option of weft train tag (near: "),
        ("max_itr = 1", "(near: max-iter"),
        ("c2 = 'much'", "run.toml: c2 = 'much'"),
        ("c2 = true", "not true or false"),
        ("c2 = [1, 2]", "run.toml: c2 = [1, 2]"),
        ("c2 = {a = 1}", "run.toml: c2 = {'a': 1}"),
        ("learner = 'crv'", "run.toml: learner = 'crv'"),
        ("c2 == 1", "run.toml is not TOML"),
        ("command = 'fold'", "is for weft train fold, not tag"),
        ("resume = true", "'resume' is not an option"),
    ],
)
def test_mistakes_in_a_file_are_named(folder, text, message):
    (folder / "run.toml").write_text(text)
    assert message in error_of("train", "tag", "train.conll", "-o", "m.weft", "--config", "run.toml")
    assert not (folder / "m.weft").exists()


def test_a_file_must_say_which_command(folder):
    (folder / "run.toml").write_text("c2 = 1")
    assert 'add a line such as command = "tag"' in error_of("train", "--config", "run.toml")
    assert "cannot read absent.toml" in error_of("train", "--config", "absent.toml")
    weft.save(weft.Tagger(weft.Perceptron()).fit(["ab"], ["xy"]), "python.weft")
    assert "keeps no settings" in error_of("train", "--config", "python.weft")


# ----------------------------------------------------------- cross-validation


def test_cross_validation_scores_each_fold(folder):
    options = ("--learner", "perceptron", "--max-iter", 2, "--cv", 3)
    facts = facts_of("train", "tag", "train.conll", "-o", "m.weft", *options)
    checked = facts["cross_validation"]
    assert len(checked["folds"]) == checked["n_folds"] == 3
    values = [fold["token_accuracy"] for fold in checked["folds"]]
    assert checked["mean"]["token_accuracy"] == pytest.approx(np.mean(values))
    assert checked["deviation"]["token_accuracy"] == pytest.approx(np.std(values, ddof=1))
    assert facts_of("train", "tag", "train.conll", *options, "--cv-only")["cross_validation"] == checked
    assert [path.name for path in folder.iterdir() if path.suffix == ".weft"] == ["m.weft"]
    printed = run("train", "tag", "train.conll", *options, "--cv-only").stdout
    assert "3-fold cross-validation" in printed
    assert " ± " in printed


def numbers_of(task, n_folds):
    return [test for _, test in folds_of(task, range(len(task.examples)), n_folds, seed=0)]


def make_task(examples, stratum=lambda example: None, group=lambda example: None):
    return SimpleNamespace(examples=examples, stratum=stratum, group=group, file="data.tsv", one="sequence")


def test_classes_are_spread_and_groups_stay_together():
    classes = make_task(["a"] * 8 + ["b"] * 4, stratum=lambda example: example)
    assert [sum(i >= 8 for i in test) for test in numbers_of(classes, 4)] == [1, 1, 1, 1]
    rare = make_task(["a"] * 8 + ["b"], stratum=lambda example: example)
    assert sorted(i for test in numbers_of(rare, 3) for i in test) == list(range(9))
    few = make_task(list("aabbcc"), stratum=lambda example: example)
    assert sorted(len(test) for test in numbers_of(few, 3)) == [2, 2, 2]
    grouped = make_task(list("aabbccdd"), group=lambda example: example)
    assert all(len(test) == 4 and test[0] + 1 == test[1] for test in numbers_of(grouped, 2))
    with pytest.raises(weft.errors.InputError, match="has 4 sequences to tell apart, too few for 5 folds"):
        numbers_of(grouped, 5)


def test_each_fold_may_lack_a_letter_or_a_label(folder):
    (folder / "pairs.fa").write_text("".join(f">a\nAC{c}A\n>b\nAC{c}-\n" for c in "GTNW"))
    options = ("--learner", "generative", "--cv", 4, "--cv-only")
    assert len(facts_of("train", "align", "pairs.fa", *options)["cross_validation"]["folds"]) == 4
    (folder / "rare.conll").write_text("a x\n\nb y\n\nc z\n\n")
    facts = facts_of("train", "tag", "rare.conll", "--learner", "perceptron", "--cv", 3, "--cv-only")
    assert facts["cross_validation"]["mean"]["token_accuracy"] == 0.0


def test_errors_in_a_fold_are_located_in_the_file(folder):
    (folder / "rna.tsv").write_text("GGGAAACCC\t(((...)))\n" * 3 + "GGGANACCC\t(((...)))\n")
    options = ("--grammar", "g6", "--learner", "generative", "--cv", 2, "--cv-only")
    message = error_of("train", "fold", "rna.tsv", *options)
    assert "rna.tsv, line 4, sequence 4 has 'N'" in message


# --------------------------------------------------------------------- tuning


def test_tuning_keeps_the_best_and_says_so(folder, monkeypatch):
    kind = kind_of_command("classify")
    grids = {"SequenceSVC": {"C": (1.0, 0.001)}, "BlendedSpectrumKernel": {"n": (5, 1)}}
    recipe = kind.recipe()._replace(grids=grids)
    monkeypatch.setattr(kind, "recipe", lambda: recipe)
    lines = [f"{'ab' * k}{c}{'ba' * k}\t{c}\n" for k in range(2, 8) for c in "xy"]
    (folder / "texts.tsv").write_text("".join(lines))
    facts = facts_of("train", "classify", "texts.tsv", "-o", "m.weft", "--tune", "grid", "--save-config", "run.toml")
    tuned = facts["tuning"]
    assert len(tuned["tried"]) == 4
    assert (tuned["metric"], tuned["on"]) == ("accuracy", "3 folds")
    best = max(point["scores"]["accuracy"] for point in tuned["tried"])
    assert [p["scores"]["accuracy"] for p in tuned["tried"] if {**tuned["chosen"]}.items() <= p.items()] == [best]
    model = weft.load("m.weft")
    assert (model.C, model.kernel.n) == (tuned["chosen"]["C"], tuned["chosen"]["n"])
    assert read_header("m.weft").summary["tuning"]["chosen"] == tuned["chosen"]
    (folder / "m.weft").rename(folder / "first.weft")
    assert "tuning" not in facts_of("train", "--config", "run.toml")
    assert_same_model("first.weft", "m.weft")
    printed = run("train", "classify", "texts.tsv", "-o", "m.weft", "--tune", "grid", "--n", 2).stdout
    assert "chosen by accuracy on 3 folds: --C" in printed
    assert "--n" not in printed


def test_tuning_on_other_data(folder):
    options = ("--learner", "perceptron", "--tune", "grid", "--dev", "train.conll")
    facts = facts_of("train", "tag", "train.conll", "-o", "m.weft", *options)
    assert facts["tuning"]["on"] == "--dev"
    assert facts["tuning"]["chosen"]["max-iter"] in (5, 10, 20)
    assert facts["held_out"]["token_accuracy"] == facts["held_out_accuracy"]


def test_automatic_tuning_says_what_it_chose_and_scores_it_on_other_examples(folder):
    lines = [f"{'ab' * k}{c}{'ba' * k}\t{c}\n" for k in range(2, 8) for c in "xy"]
    (folder / "texts.tsv").write_text("".join(lines))
    options = ("--tune", "auto", "--budget", "20s", "--C", 1, "--no-idf", "--no-sublinear", "--save-config", "run.toml")
    facts = facts_of("train", "classify", "texts.tsv", "-o", "m.weft", *options)
    tuned = facts["tuning"]
    assert tuned["n_aside"] == 3
    assert set(tuned["held_out"]) == {"accuracy", "macro_f1"}
    tried = {option for point in tuned["tried"] for option in point}
    assert tried == {"examples", "scores", "n", "min-n", "loss", "bias", "balanced"}
    assert tuned["chosen"]
    model = weft.load("m.weft")
    assert model.kernel.n == tuned["chosen"].get("n", 5)
    assert model.kernel.min_n == tuned["chosen"].get("min-n", 1)
    (folder / "m.weft").rename(folder / "first.weft")
    facts_of("train", "--config", "run.toml")
    assert_same_model("first.weft", "m.weft")


def test_a_budget_is_for_automatic_tuning(folder):
    given = ("train", "tag", "train.conll", "-o", "m.weft", "--budget")
    assert "--budget given without --tune auto" in error_of(*given, "10m")
    assert "--budget is 'long'; give a time" in error_of(*given, "long", "--tune", "auto")


def test_nothing_left_to_tune(folder):
    options = ("-o", "m.weft", "--tune", "grid", "--c2", 1)
    assert "--tune has nothing to choose" in error_of("train", "tag", "train.conll", *options)


def test_every_grid_fits_its_command_and_begins_with_what_is_usual():
    estimators = {
        "tag": weft.Tagger,
        "align": weft.Aligner,
        "fold": weft.Folder,
        "parse": lambda learner: weft.Parser("S -> a", learner=learner),
    }
    for command, build in estimators.items():
        kind = kind_of_command(command)
        for name, grid in kind.recipe().grids.items():
            learner = getattr(weft, name)()
            found = grid_of(kind, build(learner=learner), given=())
            assert set(found) == {f"learner__{option}" for option in grid}
            # A penalty that is left open depends on the data, and most take the first one.
            usual = learner.get_params()
            assert all(usual[option] in (None, values[0]) for option, values in grid.items())
    classify, regress, rewrite = map(kind_of_command, ("classify", "regress", "rewrite"))
    classifier = weft.SequenceSVC(weft.Normalized(weft.NGramKernel(4)))
    assert set(grid_of(classify, classifier, given=())) == {"C", "kernel__kernel__n"}
    assert set(grid_of(classify, classifier, given={"n"})) == {"C"}
    as_it_comes = weft.SequenceSVC(weft.BlendedSpectrumKernel())
    assert set(grid_of(classify, as_it_comes, given=())) == {"C", "kernel__n"}
    assert set(grid_of(regress, weft.StringRegressor(), given=())) == {"alpha"}
    for learner, usual in USUAL.items():
        for option, values in rewrite.recipe().grids.get(LEARNERS[learner], {}).items():
            assert usual[option] == values[0]
    rewriter = weft.Rewriter(weft.CRF(), 2, 5)
    assert set(grid_of(rewrite, rewriter, given={"max-iter"})) == {"context", "learner__c2"}


# ------------------------------------------------------------------ going on


def test_an_interrupted_command_goes_on_to_the_same_model(folder):
    """A real signal to a real process; the model that was there before stays."""
    long = ("--learner", "perceptron", "--max-iter", 40, "--features", "none", "--n-jobs", 1)
    (folder / "train.conll").write_text(COLUMNS * 40)
    facts_of("train", "tag", "train.conll", "-o", "whole.weft", *long)
    (folder / "m.weft").write_bytes((folder / "whole.weft").read_bytes()[:100])
    old = (folder / "m.weft").read_bytes()
    # A slow machine in small: each step waits, until the process is told to stop.
    code = (
        "import time; from weft.checkpoint import Journal; keep = Journal.keep\n"
        "def slowly(self, number, arrays, facts, done):\n"
        "    keep(self, number, arrays, facts, done); print('step', flush=True); time.sleep(0.2)\n"
        "Journal.keep = slowly\n"
        "from weft.apps.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "train", "tag", "train.conll", "-o", "m.weft", *map(str, long)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        for _ in range(3):
            assert process.stdout.readline() == b"step\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"m.weft is as it was; the same command with --resume continues" in err
    assert (folder / "m.weft").read_bytes() == old
    message = error_of("train", "tag", "train.conll", "-o", "m.weft", *long, "--resume", "--random-state", 1)
    assert "left by a run with other data or options" in message
    facts = facts_of("train", "tag", "train.conll", "-o", "m.weft", *long, "--resume")
    assert facts["iterations"] == 40
    assert not (folder / "m.weft.checkpoint").exists()
    assert np.array_equal(weft.load("m.weft").weights_, weft.load("whole.weft").weights_)


def test_finished_folds_are_not_made_again(folder, monkeypatch):
    options = ("train.conll", "-o", "m.weft", "--learner", "perceptron", "--max-iter", 2, "--cv", 3)
    n_fits = 0
    fit = training.fit_quietly

    def stopping(task, estimator, numbers):
        nonlocal n_fits
        n_fits += 1
        if n_fits == 3:
            raise KeyboardInterrupt
        return fit(task, estimator, numbers)

    whole = facts_of("train", "tag", *options)
    monkeypatch.setattr(training, "fit_quietly", stopping)
    (folder / "m.weft").unlink()
    result = run("train", "tag", *options)
    assert result.exit_code == 130
    assert "m.weft has not been written; the same command with --resume continues" in result.stderr
    facts = facts_of("train", "tag", *options, "--resume")
    assert n_fits == 4
    assert facts["cross_validation"] == whole["cross_validation"]


def test_what_tuning_chose_does_not_hide_the_run(folder, monkeypatch):
    """The options that mark a run are those that it was given."""
    options = ("train.conll", "-o", "m.weft", "--learner", "perceptron", "--tune", "grid")
    whole = facts_of("train", "tag", *options)
    (folder / "m.weft").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(training.Training, "_fit", lambda self, estimator: (_ for _ in ()).throw(KeyboardInterrupt))
        assert run("train", "tag", *options).exit_code == 130
    assert facts_of("train", "tag", *options, "--resume")["tuning"] == whole["tuning"]


def test_nothing_to_go_on_from(folder):
    result = run("train", "tag", "train.conll", "-o", "m.weft", "--learner", "perceptron", "--resume")
    assert result.exit_code == 0
    assert "there is no m.weft.checkpoint to continue from" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "-o is missing"),
        (("--cv-only",), "--cv-only given without --cv"),
        (("--cv", 3, "--cv-only", "--resume"), "--resume given without -o"),
        (("--cv", 100, "--cv-only"), "too few for 100 folds"),
        (("-o", "m.weft", "--save-config", "absent/run.toml"), "there is no folder"),
    ],
)
def test_options_that_do_not_go_together(folder, options, message):
    assert message in error_of("train", "tag", "train.conll", *options)


def alias(folder, how, name="train.conll"):
    """Another way to write the path of a file."""
    other = folder / f"other-{how}"
    if how == "symlink":
        other.symlink_to(folder / name)
    elif how == "hard link":
        other.hardlink_to(folder / name)
    return {"same": name, "dots": f"../{folder.name}/./{name}"}.get(how, other)


@pytest.mark.parametrize("how", ["same", "dots", "symlink", "hard link"])
def test_training_data_are_never_written_over(folder, how):
    other = alias(folder, how)
    data = (folder / "train.conll").read_bytes()
    for arguments in (
        ["train.conll", "-o", other],
        ["train.conll", "-o", "m.weft", "--save-config", other],
        [folder / "dev.conll", "--dev", "train.conll", "-o", other],
        [other, "-o", "train.conll"],
    ):
        (folder / "dev.conll").write_text(COLUMNS)
        assert "would be overwritten" in error_of("train", "tag", *arguments)
        assert (folder / "train.conll").read_bytes() == data
    assert not (folder / "m.weft").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["train", "tag", "train.conll", "--dev", "*.conll", "-o", "train.conll"],
        ["train", "tag", "*.conll", "-o", "train.conll"],
        ["predict", "m.weft", "*.conll", "-o", "train.conll"],
        ["report", "m.weft", "*.conll", "-o", "train.conll"],
        ["train", "parse", "rules.txt", "trees.mrg", "-o", "rules.txt"],
        ["train", "fold", "rna.dbn", "-P", "energies.par", "-o", "energies.par"],
        ["train", "align", "pairs.fasta", "--prior", "prior.mat", "-o", "m.weft", "--matrix", "prior.mat"],
        ["fold", "rna.dbn", "-P", "energies.par", "-o", "energies.par"],
        ["fold", "rna.dbn", "-m", "m.weft", "-o", "m.weft"],
    ],
    ids=" ".join,
)
def test_no_file_that_a_command_reads_is_written_over(folder, command):
    """Patterns stand for files, and more than the examples is read."""
    names = ("m.weft", "rules.txt", "trees.mrg", "rna.dbn", "energies.par", "pairs.fasta", "prior.mat")
    for name in names:
        (folder / name).write_text("kept")
    assert "would be overwritten" in error_of(*command)
    assert all((folder / name).read_text() == "kept" for name in names)
    assert (folder / "train.conll").read_text() == COLUMNS * 3


@pytest.mark.parametrize("more", [["--save-config", "./m.weft"], ["--save-config", "m.weft.checkpoint"]])
def test_two_outputs_are_two_files(folder, more):
    line = error_of("train", "tag", "train.conll", "-o", "m.weft", *more)
    assert "is to hold two outputs; give each a path of its own" in line
    assert not (folder / "m.weft").exists()


def test_the_journal_is_an_output_too(folder):
    (folder / "m.weft.checkpoint").write_text(COLUMNS)
    assert "would be overwritten" in error_of("train", "tag", "m.weft.checkpoint", "-o", "m.weft")


def test_standard_input_is_not_written_over(folder):
    with (folder / "train.conll").open() as stream:
        done = subprocess.run(
            [sys.executable, "-m", "weft", "train", "tag", "-", "-o", "train.conll"],
            stdin=stream,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 2
    assert "would be overwritten" in done.stderr
    assert (folder / "train.conll").read_text() == COLUMNS * 3


def test_a_file_of_settings_is_kept_but_a_model_may_be_trained_again_in_its_place(folder):
    (folder / "run.toml").write_text('command = "tag"\nfile = "train.conll"\n')
    assert "would be overwritten" in error_of("train", "--config", "run.toml", "-o", "run.toml")
    facts_of("train", "--config", "run.toml", "-o", "m.weft", "--max-iter", 2)
    before = contents(folder / "m.weft")
    facts_of("train", "--config", "m.weft")  # its settings name itself as the output
    assert before[0] == contents(folder / "m.weft")[0]


def test_answers_reports_and_pictures_do_not_replace_what_they_are_made_from(folder):
    facts_of("train", "tag", "train.conll", "-o", "m.weft", "--max-iter", 2)
    kept = {name: (folder / name).read_bytes() for name in ("m.weft", "train.conll")}
    for name in kept:
        (folder / "link").unlink(missing_ok=True)
        (folder / "link").symlink_to(name)
        for target in (name, "link"):
            assert "would be overwritten" in error_of("predict", "m.weft", "train.conll", "-o", target)
            assert "would be overwritten" in error_of("report", "m.weft", "train.conll", "-o", target)
    (folder / "curve.conll").write_text(COLUMNS)
    curve = ["--learning-curve", "curve.conll", "-o", "curve.conll"]
    assert "would be overwritten" in error_of("report", "m.weft", "train.conll", *curve)
    with (folder / "train.conll").open("a") as stream:  # as >> does
        command = [sys.executable, "-m", "weft", "predict", "m.weft", "train.conll"]
        done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, "would be overwritten" in done.stderr) == (2, True)
    assert {name: (folder / name).read_bytes() for name in kept} == kept


def test_a_matrix_and_its_picture_do_not_replace_the_alignments(folder):
    (folder / "pairs.png").write_text(">a\nAC-G\n>b\nACTG\n")
    for option in ("--matrix", "--plot"):
        line = error_of("train", "align", "pairs.png", "--format", "fasta", "-o", "m.weft", option, "pairs.png")
        assert "would be overwritten" in line


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 40_000) + " = 1",
        "c2 = " + "9" * 5000,
        "c2 = 0x" + "f" * 8000,
        "c2 = [0x" + "f" * 8000 + "]",
        "c2 = " + "[" * 4000,
        "c2 = {a = " * 800,
        "c2 = " + "[" * 4000 + "]" * 4000,
    ],
)
def test_settings_that_would_fill_the_memory_are_one_line(folder, text):
    (folder / "run.toml").write_text(text)
    line = error_of("train", "tag", "train.conll", "-o", "m.weft", "--config", "run.toml")
    assert "run.toml" in line
    assert len(line) < 400


def test_a_binary_file_of_settings_is_named(folder):
    (folder / "run.toml").write_bytes(b"PK\x03\x04" + bytes(100))
    assert "zip" in error_of("train", "tag", "train.conll", "-o", "m.weft", "--config", "run.toml")


def test_a_name_that_no_file_can_have_is_one_line(folder):
    assert "cannot write" in error_of("train", "tag", "train.conll", "-o", "m" * 5000)
