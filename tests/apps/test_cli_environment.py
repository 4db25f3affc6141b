"""Commands in odd environments: full devices, closed streams, circles of links, signals. One line, one exit code."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import weft

WEFT = [sys.executable, "-m", "weft"]
CONLL = "He PRP B-NP\nfell VBD B-VP\n\nRain NN B-NP\n\n"


def weft_command(*arguments, before="", after="", **options):
    """Run a command in a shell, which can close streams; its exit code, and what it said."""
    line = f'{before} exec "$@" {after}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    (folder / "train.conll").write_text(CONLL)
    tagger = weft.Tagger(weft.Generative()).fit(["ab"], ["xy"])
    weft.save(tagger, folder / "model.weft")
    (folder / "words.tsv").write_text("a\tx\n")
    return folder


def train(folder, *more):
    return ("train", "tag", folder / "train.conll", "-o", folder / "m.weft", "--learner", "perceptron", *more)


FULL = "weft: cannot write the output: No space left on device; send it elsewhere, or make room.\n"
CLOSED = "weft: cannot write the output: Bad file descriptor; send it elsewhere, or make room.\n"


@pytest.mark.parametrize(("after", "message"), [(">/dev/full", FULL), (">&-", CLOSED)])
@pytest.mark.parametrize("command", ["--help", "--version", "data", "predict", "evaluate", "train"])
def test_standard_output_that_takes_nothing_is_one_line(folder, command, after, message):
    model, words = folder / "model.weft", folder / "words.tsv"
    arguments = {"predict": (command, model, words), "evaluate": (command, model, words), "train": train(folder)}
    assert weft_command(*arguments.get(command, (command,)), after=after) == (2, "", message)
    if command == "train":
        assert weft.load(folder / "m.weft").classes_.tolist() == ["B-NP", "B-VP"]


@pytest.mark.parametrize("after", ["2>/dev/full", "2>&-", "2>&- <&-"])
def test_standard_error_that_takes_nothing_changes_nothing(folder, after):
    code, printed, said = weft_command(*train(folder, "--resume", "--json"), after=after)
    assert (code, said) == (0, "")
    assert json.loads(printed)["model"] == str(folder / "m.weft")
    assert weft_command("predict", "absent.weft", after=after) == (2, "", "")


def test_output_files_on_a_full_device(folder):
    code, _, said = weft_command("predict", folder / "model.weft", folder / "words.tsv", "-o", "/dev/full")
    assert code == 2
    assert said.startswith("weft: cannot write '/dev/full': No space left on device")
    assert said.count("\n") == 1


def test_links_that_go_in_a_circle(folder, tmp_path):
    link = tmp_path / "link.weft"
    link.symlink_to("link.weft")
    for command in [train(folder, "-o", link), ("predict", folder / "model.weft", folder / "words.tsv", "-o", link)]:
        code, printed, said = weft_command(*command)
        assert (code, printed) == (2, "")
        assert said.startswith(f"weft: cannot write '{link}': Too many levels of symbolic links")
        assert said.count("\n") == 1
        assert link.is_symlink()


def test_a_working_folder_that_is_gone(folder):
    gone = 'd=$(mktemp -d); cd "$d"; rmdir "$d";'
    relative = weft_command("train", "tag", "train.conll", "-o", "m.weft", before=gone)
    assert relative == (2, "", "weft: the working folder is gone; go to one that exists.\n")
    assert weft_command("predict", folder / "model.weft", folder / "words.tsv", before=gone)[0] == 0


@pytest.mark.parametrize("seconds", np.linspace(0.05, 1.5, 12).tolist())
def test_an_interrupt_during_start_up_is_quiet(folder, seconds):
    """Python itself takes a moment until it gets to weft; its own traceback is none of ours."""
    code = "import sys, weft.__main__ as main; print('here', flush=True); main.main()"
    command = [sys.executable, "-c", code, "predict", folder / "model.weft", "-"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) in (130, -signal.SIGINT)  # both are 130 in a shell
        assert process.stderr.read() == b""


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_writes_the_checkpoint(folder, tmp_path, number, exit_code):
    """A slow machine in small: each step waits, until the process is told to stop."""
    code = (
        "import time; from weft.checkpoint import Journal; keep = Journal.keep\n"
        "def slowly(self, number, arrays, facts, done):\n"
        "    keep(self, number, arrays, facts, done); print('step', flush=True); time.sleep(0.2)\n"
        "Journal.keep = slowly\n"
        "from weft.apps.cli import main; main()"
    )
    options = ["--learner", "perceptron", "--max-iter", "40", "--features", "none", "--n-jobs", "1"]
    (tmp_path / "train.conll").write_text("a x\nb y\n\na y\nb x\n\n" * 20)
    command = ["train", "tag", "train.conll", "-o", "m.weft", *options]
    with subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout.readline() == b"step\n"
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    assert process.returncode == exit_code
    assert said == b"weft: interrupted; m.weft has not been written; the same command with --resume continues.\n"
    assert weft_command(*command, "--resume", cwd=tmp_path)[0] == 0
    assert weft_command(*command[:3], "-o", "whole.weft", *options, cwd=tmp_path)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"m.weft", "train.conll", "whole.weft"}
    assert np.array_equal(weft.load(tmp_path / "m.weft").weights_, weft.load(Path(tmp_path, "whole.weft")).weights_)
