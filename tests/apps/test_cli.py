"""The commands as a user meets them: one tiny model, trained once, then predict and evaluate."""

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.checkpoint.array_file import write_array_file
from weft.kinds.tag.files import read_training
from weft.kinds.texts import FileFormat

SENTENCES = [
    ("He PRP B-NP", "reckons VBZ B-VP", "the DT B-NP", "deficit NN I-NP", ". . O"),
    ("Rain NN B-NP", "fell VBD B-VP", ". . O"),
    ("The DT B-NP", "deficit NN I-NP", "fell VBD B-VP", "again RB B-ADVP"),
] * 4
CONLL = "".join("\n".join(rows) + "\n\n" for rows in SENTENCES)


def weft_command(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def json_of(*arguments, **options):
    result = weft_command(*arguments, "--json", **options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def error_of(*arguments, **options):
    """The one line that a user sees."""
    result = weft_command(*arguments, **options)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    return line


def spawn(*arguments, **options):
    """Start a real process."""
    return subprocess.Popen(
        [sys.executable, "-c", "from weft.apps.cli import main; main()", *map(str, arguments)],
        stdin=options.pop("stdin", subprocess.PIPE),
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        # Shells start jobs in the background with interrupts ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


@pytest.mark.parametrize("name", ["missing.weft", "pronounc", "."])
def test_a_missing_model_is_refused_before_anything_is_imported(name, monkeypatch, capsys):
    from weft.__main__ import _refuse_missing_model

    for command in ("predict", "evaluate", "report"):
        with pytest.raises(SystemExit) as stopped:
            _refuse_missing_model([command, name, "x.conll"])
        assert stopped.value.code == 2
        assert capsys.readouterr().err.rstrip("\n") == error_of(command, name, "x.conll")
    _refuse_missing_model(["predict", name, "--help"])
    _refuse_missing_model(["predict", "pronounce-en", "x"])
    _refuse_missing_model(["predict", "--json", name])


def test_that_takes_no_large_package():
    program = (
        "import sys, weft.__main__; sys.argv = ['weft', 'predict', 'missing.weft', 'x']\n"
        "try: weft.__main__.main()\n"
        "except SystemExit: print(*{'numpy', 'typer', 'rich', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == []
    assert done.stderr == "weft: cannot read missing.weft: No such file or directory. Check the path.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    (folder / "train.conll").write_text(CONLL)
    summary = json_of("train", "tag", folder / "train.conll", "-o", folder / "chunks.weft", "--constraints", "BIO")
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return folder / "chunks.weft"


STRENGTHS = {
    "svm": ("--C", 2),
    "soda": ("--alpha", 0.1),
    "margin": ("--alpha", 0.1),
    "loss": ("--alpha", 0.1),
    "steps": ("--c2", 0.1),
    "expected": ("--c2", 0.1),
    "moments": (),
    "generative": ("--smoothing", 0.5, "--features", "none"),
    "em": ("--features", "none", "--max-iter", 2),
    "spectral": ("--tau", 0.1, "--order", 2),
}


@pytest.mark.parametrize("learner", STRENGTHS)
def test_every_learner_trains_and_evaluates(folder, learner, tmp_path):
    model = tmp_path / "other.weft"
    strength = STRENGTHS[learner]
    json_of("train", "tag", folder / "train.conll", "-o", model, "--learner", learner, *strength)
    assert json_of("evaluate", model, folder / "train.conll")["token_accuracy"]["value"] > 0.8


def test_classes_of_words_come_from_a_text_or_from_the_data(folder, tmp_path):
    text, model = tmp_path / "text.txt", tmp_path / "classes.weft"
    text.write_text("the cat sleeps\n\nthe dog sleeps\na dog sees the cat\na cat sees a dog\n")
    train = ("train", "tag", folder / "train.conll", "-o", model)
    json_of(*train, "--classes", text, "--n-classes", 2)
    found = weft.load(model).features.classes
    assert list(found.classes_) == ["a", "cat", "dog", "the", "sees", "sleeps"]
    assert found.n_classes == 2
    assert found.classes_["cat"] == found.classes_["dog"]
    json_of(*train, "--classes", folder / "train.conll", "--n-classes", 3)
    X = [example.tokens for example in read_training(folder / "train.conll", FileFormat.CONLL)[0]]
    assert weft.load(model).features.classes.classes_ == weft.WordClasses(3).fit(X).classes_
    paths = tmp_path / "news.paths"
    paths.write_text("01\tcat\t2\n01\tdog\t2\n1\tsees\t1\n")
    json_of(*train, "--classes", paths, "--class-prefixes", "4,6,10")
    window = weft.load(model).features
    assert window.classes.paths_ == ["01", "1"]
    assert window.class_prefixes == [4, 6, 10]
    assert "--class-prefixes is '4,x'; give numbers" in error_of(*train, "--classes", paths, "--class-prefixes", "4,x")
    assert "--class-prefixes 4 given without --classes" in error_of(*train, "--class-prefixes", 4)
    paths.write_text("01\tgato\n1\tve\n")
    foreign = CliRunner().invoke(app, list(map(str, (*train, "--classes", paths))))
    assert "tokens have a class in" in foreign.stderr
    assert "news.paths has its classes; leave it out" in error_of(*train, "--classes", paths, "--n-classes", 3)
    assert "--n-classes 3 given without --classes" in error_of(*train, "--n-classes", 3)
    assert "6 words that occur 2 times or more, for 100 classes" in error_of(*train, "--classes", text)
    text.write_text("\n")
    assert "text.txt holds no sequences; give a txt file" in error_of(*train, "--classes", text)
    assert "--classes given with --features none" in error_of(
        *train, "--classes", folder / "train.conll", "--n-classes", 2, "--features", "none"
    )


def test_columns_are_joined_and_data_tagged_twice(folder, tmp_path):
    rows, model = folder / "train.conll", tmp_path / "twice.weft"
    json_of("train", "tag", rows, "-o", model, "--joined", 2, "--twice", "--max-iter", 20, "--cv", 2)
    tagger = weft.load(model)
    assert isinstance(tagger, weft.StackedTagger)
    assert tagger.features.joined == 2
    assert tagger.learner.max_iter == 20
    assert tagger.n_folds == 5
    assert json_of("evaluate", model, rows)["token_accuracy"]["value"] > 0.9
    assert weft_command("predict", model, rows, "--confidence").exit_code == 0


def test_training_says_what_it_did(folder, model):
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["sequences"], summary["tokens"], summary["labels"]) == (12, 48, 5)
    assert summary["model_bytes"] == model.stat().st_size
    assert summary["weights"] == len(weft.load(model).weights_)
    assert summary["iterations"] > 0
    assert summary["objective"] > 0


def test_training_prints_a_table_for_people(folder):
    result = weft_command(
        *("train", "tag", folder / "train.conll", "-o", folder / "other.weft"),
        *("--learner", "perceptron", "--validation-fraction", "0.3", "--max-iter", 2, "--random-state", 1),
    )
    assert result.exit_code == 0
    assert "held-out accuracy" in result.stdout
    assert "kB" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_evaluation_scores_tokens_sequences_and_chunks(folder, model):
    scores = json_of("evaluate", model, folder / "train.conll")
    assert (scores["sequences"], scores["tokens"]) == (12, 48)
    for name in ("token_accuracy", "sequence_accuracy"):
        low, high = scores[name]["interval"]
        assert low <= scores[name]["value"] <= high
    chunks = scores["chunks"]
    assert chunks["f1"] == scores["token_accuracy"]["value"] == 1.0
    assert sum(each["support"] for each in chunks["types"].values()) == chunks["support"] == 32
    printed = weft_command("evaluate", model, folder / "train.conll").stdout
    assert "chunk F1" in printed
    assert "ADVP" in printed


def test_chunk_intervals_hold_what_was_wrong(folder, model):
    fixed = CONLL.replace("again RB B-ADVP", "again RB B-NP", 2)
    scores = json_of("evaluate", model, "-", input=fixed)
    low, high = scores["chunks"]["interval"]
    assert low < scores["chunks"]["f1"] == 60 / 64 < high <= 1.0
    assert scores["sequence_accuracy"]["value"] == 10 / 12


def test_prediction_appends_a_column(model):
    result = weft_command("predict", model, "-", input="Rain NN\nfell VBD\n\nHe\tPRP\n")
    assert result.stdout == "Rain\tNN\tB-NP\nfell\tVBD\tB-VP\n\nHe\tPRP\tB-NP\n\n"


def test_prediction_reads_standard_input_without_a_file(model):
    assert weft_command("predict", model, input="Rain NN\n").stdout == "Rain\tNN\tB-NP\n\n"


def test_prediction_keeps_the_labels_that_are_there(model):
    result = weft_command("predict", model, "-", input="Rain NN X\n")
    assert result.stdout == "Rain\tNN\tX\tB-NP\n\n"


def test_kbest_and_confidence_become_columns(model):
    result = weft_command("predict", model, "-", "--kbest", 3, "--confidence", input="Rain NN\n\nHe PRP\nfell VBD\n")
    rows = [line.split("\t") for line in result.stdout.splitlines() if line]
    assert [len(row) for row in rows] == [8, 8, 8]
    assert rows[0][2] == "B-NP"
    assert len(set(rows[0][2:5])) == 3
    first, second, third = map(float, rows[0][5:])  # of one token these are the probabilities of the labellings
    assert 1.0 >= first > 0.5 > second >= third > 0.0
    many = weft_command("predict", model, "-", "--kbest", 6, "--confidence", input="Rain NN\n").stdout.split()
    assert many[6:8] == many[12:14] == ["_", "_"]
    assert sum(map(float, many[8:12])) == pytest.approx(1.0, abs=2e-4)


def test_too_few_labellings_leave_columns_empty(model):
    # BIO lets four of the five labels begin a sequence.
    result = weft_command("predict", model, "-", "--kbest", 6, input="Rain NN\n\nHe PRP\nfell VBD\n")
    rows = [line.split("\t") for line in result.stdout.splitlines() if line]
    assert [len(row) for row in rows] == [8, 8, 8]
    assert rows[0][6:] == ["_", "_"]


def test_json_has_everything(model):
    answer = json_of("predict", model, "-", "--kbest", 2, "--confidence", input="Rain NN O\nfell VBD O\n")
    assert answer["tokens"] == [["Rain", "NN"], ["fell", "VBD"]]
    assert answer["labels"] == ["B-NP", "B-VP"]
    assert answer["gold"] == ["O", "O"]
    best, second = answer["kbest"]
    marginals = answer["marginals"]
    assert best == {"labels": ["B-NP", "B-VP"], "probability": answer["confidence"], "marginals": marginals}
    assert second["marginals"] != marginals
    assert len(answer["marginals"]) == 2
    assert answer["z_score"] > 0


def test_the_same_sequences_as_json_lines(folder, model):
    item = {"tokens": [["Rain", "NN"], ["fell", "VBD"]], "id": "x"}
    (folder / "few.jsonl").write_text(json.dumps(item) + "\n")
    result = weft_command("predict", model, folder / "few.jsonl")
    assert json.loads(result.stdout) == {**item, "labels": ["B-NP", "B-VP"]}


def test_output_files_may_be_compressed(folder, model):
    result = weft_command("predict", model, folder / "train.conll", "-o", folder / "out.conll.gz")
    assert (result.exit_code, result.stdout) == (0, "")
    lines = gzip.decompress((folder / "out.conll.gz").read_bytes()).decode().splitlines()
    assert [line.split("\t")[-2:] for line in lines[:2]] == [["B-NP", "B-NP"], ["B-VP", "B-VP"]]


def test_a_model_from_python_reads_files_too(folder):
    weft.save(weft.Tagger().fit([["a", "b"]], [["x", "y"]]), folder / "plain.weft")
    assert weft_command("predict", folder / "plain.weft", "-", input="b\na\n").stdout == "b\ty\na\tx\n\n"
    message = error_of("predict", folder / "plain.weft", "-", input="b 1 2\n")
    assert "3 column(s), needed 1 as in training, or 2 with the label" in message


def test_pairs_of_characters(folder):
    (folder / "words.tsv").write_text("abba\txyyx\nab\txy\n")
    json_of("train", "tag", folder / "words.tsv", "-o", folder / "words.weft")
    result = weft_command("predict", folder / "words.weft", "-", "--confidence", input="ba\n")
    word, labels, confidence = result.stdout.rstrip("\n").split("\t")
    assert (word, labels) == ("ba", "yx")
    assert 0.0 < float(confidence) <= 1.0
    assert json_of("evaluate", folder / "words.weft", folder / "words.tsv")["token_accuracy"]["value"] == 1.0


def test_arrays_and_feature_dicts_in_json_lines(folder):
    for name, tokens in (("array", [[1.0, 0.0], [0.0, 1.0]]), ("dict", [{"w": "a"}, {"w": "b"}])):
        line = json.dumps({"tokens": tokens, "labels": ["x", "y"]})
        (folder / f"{name}.jsonl").write_text(f"{line}\n" * 3)
        json_of("train", "tag", folder / f"{name}.jsonl", "-o", folder / f"{name}.weft", "--c2", 0.01)
        answer = json.loads(
            weft_command("predict", folder / f"{name}.weft", folder / f"{name}.jsonl").stdout[:200].split("\n")[0]
        )
        assert answer["labels"] == ["x", "y"]
        assert ("tokens" in answer) is (name == "dict")
        assert "JSON lines" in error_of("predict", folder / f"{name}.weft", "-", "--format", "conll", input="a\n")


# ------------------------------------------------------------------ bad input


def test_other_columns_are_refused(model):
    message = error_of("predict", model, "-", input="Rain\n")
    assert "1 column(s), needed 2 as in training, or 3 with the label;" in message
    message = error_of("evaluate", model, "-", input="a b c d\n")
    assert "4 column(s), needed 3: 2 as in training and the label;" in message
    assert "such as --columns 1,2,4." in message
    assert "2 column(s), needed 3: " in error_of("evaluate", model, "-", input="Rain NN\n")
    words = json.dumps({"tokens": ["Rain"]})
    assert "1 column(s), needed 2" in error_of("predict", model, "-", "--format", "jsonl", input=words)


def test_a_missing_column_is_named_with_its_line(folder):
    (folder / "ragged.conll").write_text("Rain NN B-NP\nfell VBD\n")
    message = error_of("train", "tag", folder / "ragged.conll", "-o", folder / "never.weft")
    assert "line 2: 2 column(s), needed 3" in message
    assert not (folder / "never.weft").exists()


def test_a_file_that_is_not_utf8(folder, model):
    (folder / "latin.conll").write_bytes("Coruña NN B-NP\n".encode("latin-1"))
    assert "line 1, byte 4: 0xf1 is not UTF-8" in error_of("predict", model, folder / "latin.conll")


def test_a_label_unseen_in_training(model):
    text = "Rain NN B-NP\nfell VBD B-XX\n"
    assert "token 2: label 'B-XX', unseen in training" in error_of("evaluate", model, "-", input=text)
    scores = json_of("evaluate", model, "-", "--allow-unknown", input=text)
    assert scores["token_accuracy"]["value"] == 0.5


def test_illegal_tags_are_refused_with_constraints(folder):
    message = error_of("train", "tag", "-", "-o", folder / "never.weft", "--constraints", "BIO", input="a I-X\n")
    assert "breaks the constraints" in message or "does not fit" in message


@pytest.mark.parametrize("content", [b"", b"not a model at all", b"\x00" * 64, b"{}"])
def test_a_file_that_is_no_model(folder, content):
    (folder / "foreign.weft").write_bytes(content)
    assert "not a weft file" in error_of("predict", folder / "foreign.weft", folder / "train.conll")


def test_a_model_of_another_estimator(folder):
    facts = {
        "format": "weft",
        "format_version": 1,
        "library_version": "0.1.0",
        "class": "CRF",
        "parameters": {},
        "summary": {"$dict": []},
        "state": {"$dict": []},
    }
    write_array_file(folder / "learner.weft", facts, {})
    assert "holds a CRF; weft evaluate knows Tagger" in error_of(
        "evaluate", folder / "learner.weft", folder / "train.conll"
    )


def test_a_missing_model(folder):
    assert "No such file" in error_of("evaluate", folder / "absent.weft", folder / "train.conll")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "perceptron", "--c1", 1], "--c1 given with --learner perceptron"),
        (["--features", "none", "--width", 1], "--width given with --features none"),
        (["--width", -1], "width of WindowFeatures is -1"),
        (["--joined", 2, "--features", "none"], "--joined given with --features none"),
        (["--twice", "--n-features", 64], "--n-features 64 given with --twice"),
        (["--twice", "--workers", 1], "--twice learns in memory; leave out --workers"),
        (["--dev", "x", "--validation-fraction", 0.5], "give one of them"),
        (["--dev", "absent.conll"], "cannot read 'absent.conll'"),
        (["--c2", -1], "c2"),
        (["--format", "jsonl"], "not JSON"),
        (["--format", "tsv"], "1 column(s) separated by tabs, needed 2"),
    ],
)
def test_options_that_make_no_sense(folder, options, message):
    line = error_of("train", "tag", folder / "train.conll", "-o", folder / "never.weft", *options)
    assert message in line
    assert not (folder / "never.weft").exists()


def test_empty_input(folder, model):
    assert "holds no sequences" in error_of("train", "tag", "-", "-o", folder / "never.weft", input="\n")
    assert "holds no sequences" in error_of("evaluate", model, "-", input="")
    done = weft_command("predict", model, "-", input="")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "holds no examples; there is nothing to answer" in done.stderr


def test_json_lines_with_a_label_too_few(folder):
    line = json.dumps({"tokens": ["a", "b"], "labels": ["x"]})
    options = ("-o", folder / "never.weft", "--format", "jsonl")
    assert "line 2: 2 token(s)" in error_of("train", "tag", "-", *options, input="\n" + line)


def test_an_output_that_cannot_be_written(folder, model, tmp_path):
    before = sorted(tmp_path.iterdir())
    target = tmp_path / "absent" / "model.weft"
    assert "there is no folder" in error_of("train", "tag", folder / "train.conll", "-o", target)
    assert "it is a folder" in error_of("predict", model, folder / "train.conll", "-o", tmp_path)
    assert "what is written is a file, not text" in error_of("train", "tag", folder / "train.conll", "-o", "-")
    assert sorted(tmp_path.iterdir()) == before


def test_a_failing_prediction_leaves_the_old_output(folder, model, tmp_path):
    (tmp_path / "out.conll").write_text("old\n")
    (folder / "breaks.conll").write_text("Rain NN\n\nfell VBD x y\n")
    assert "line 3" in error_of("predict", model, folder / "breaks.conll", "-o", tmp_path / "out.conll")
    assert [path.name for path in tmp_path.iterdir()] == ["out.conll"]
    assert (tmp_path / "out.conll").read_text() == "old\n"


# ------------------------------------------------------------- small commands


def test_version_and_help():
    assert weft_command("--version").stdout == f"weft {weft.__version__}\n"
    assert "demo" in weft_command("--help").stdout
    assert weft_command("train", "tag", "--help").exit_code == 0
    assert weft_command("nonsense").exit_code == 2
    assert weft_command("train", "tag").exit_code == 2


def test_help_imports_nothing_heavy():
    code = "import sys, weft.apps.cli; print(*sorted({'numpy', 'numba', 'sklearn', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_data_lists_what_is_here(monkeypatch, tmp_path):
    (tmp_path / "usps").mkdir()
    (tmp_path / "usps" / "usps.npz").touch()
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    listed = json_of("data")
    assert listed["folder"] == str(tmp_path)
    assert [each["name"] for each in listed["datasets"] if each["available"]] == ["usps"]
    assert all(each["source"] and each["licence"] for each in listed["datasets"])
    printed = weft_command("data").stdout
    assert "here     usps" in printed
    assert "missing  conll2000" in printed


# ----------------------------------------------------------------- processes


def test_a_stream_is_answered_while_it_is_open(model):
    with spawn("predict", model, "-") as process:
        process.stdin.write(b"Rain NN\nfell VBD\n\n")
        process.stdin.flush()
        answer = [process.stdout.readline() for _ in range(3)]  # hangs if weft waits for the end
        assert answer == [b"Rain\tNN\tB-NP\n", b"fell\tVBD\tB-VP\n", b"\n"]
        process.stdin.write(b"He PRP\n")
        process.stdin.close()
        assert process.stdout.read() == b"He\tPRP\tB-NP\n\n"
        assert process.wait(timeout=300) == 0
        assert process.stderr.read() == b""


def test_a_reader_that_goes_away_is_no_error(folder, model):
    (folder / "long.conll").write_text(CONLL * 400)
    with spawn("predict", model, folder / "long.conll") as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=300) == 141


def test_an_interrupt_leaves_nothing_behind(model, tmp_path):
    # Once to the end before: a compiler that is interrupted leaves messages of its own.
    with spawn("predict", model, "-", cwd=tmp_path) as process:
        process.communicate(b"Rain NN\n\n", timeout=300)
    with spawn("predict", model, "-", "-o", tmp_path / "out.conll", cwd=tmp_path) as process:
        process.stdin.write(b"Rain NN\n\n")
        process.stdin.flush()
        while not any(tmp_path.iterdir()):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(2)
        assert process.wait(timeout=300) == 130
        assert b"Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


def test_errors_of_a_process(folder, model):
    with spawn("predict", model, Path("absent.conll")) as process:
        out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"weft: cannot read 'absent.conll'")


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "weft", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("weft ")


def test_columns_that_look_wrong_are_doubted(tmp_path):
    """A first line of names, and words where labels are wanted."""
    rows = [(f"word{i}", "xy"[i % 2]) for i in range(60)]
    path = tmp_path / "train.conll"
    path.write_text("".join(f"{a} {b}\n" for a, b in [("FORM", "ETIKETT"), *rows]))
    with pytest.warns(UserWarning, match="line 1: label 'ETIKETT' comes nowhere else; delete the line"):
        read_training(path, FileFormat.CONLL)
    path.write_text("".join(f"{label} {word}\n" for word, label in rows))
    with pytest.raises(weft.InputError, match="there are 60 labels for 2 words, most of them once: the label"):
        read_training(path, FileFormat.CONLL)
    path.write_text("".join(f"{a} {b}\n" for a, b in rows))
    assert len(read_training(path, FileFormat.CONLL)[0]) == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "none is left"),
        (MemoryError("Allocation failed\n(probably too large)."), "Allocation failed (p"),
    ],
)
def test_too_little_memory_is_one_line(error, reason, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("weft.apps.predict.open_kind", fail)
    result = weft_command("predict", "align-protein", "-", input="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"weft: not enough memory: {reason}")
    assert result.stderr.endswith("; give shorter sequences, or fewer of them.\n")
