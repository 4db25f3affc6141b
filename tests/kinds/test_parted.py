"""`weft train` on data in parts: the model of one machine, byte for byte; what cannot be meant is refused."""

import errno
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from weft.apps.cli import app
from weft.errors import InputError
from weft.kinds.parted import OPTIONS, PLACES
from weft.learners.monitor import Monitor

RANDOM = np.random.default_rng(3)
SENTENCES = [[int(word) for word in RANDOM.integers(30, size=RANDOM.integers(2, 7))] for _ in range(60)]
COLUMNS = ["".join(f"w{word} p{word % 4} {'ABC'[word % 3]}\n" for word in each) + "\n" for each in SENTENCES]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refusal(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    [line] = result.stderr.splitlines()
    return line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("weft.core.shards.LEAST_COST", 64)  # several shards of little data
    (tmp_path / "train.conll").write_text("".join(COLUMNS))
    return tmp_path


def train(*arguments):
    result = run("train", "tag", "train.conll", "-o", "m.weft", "--max-iter", 4, "--json", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), Path("m.weft").read_bytes()


def test_every_place_is_an_option():
    assert [option.replace("-", "_") for option in OPTIONS] == list(PLACES)


def test_files_give_the_model_of_memory(folder, monkeypatch):
    facts, wanted = train()
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (200,))
    found, model = train("--spill", "shards")
    assert model == wanted
    assert found["sequences"] == facts["sequences"] == 60
    (folder / "one.conll").write_text("".join(COLUMNS[:20]))
    with gzip.open(folder / "two.conll.gz", "wt") as file:
        file.write("".join(COLUMNS[20:]))
    result = run("train", "tag", "[ot][nw]*.conll*", "-o", "n.weft", "--max-iter", 4, "--json", "--spill", "others")
    assert json.loads(result.stdout)["objective"] == facts["objective"]


@pytest.mark.slow
def test_workers_give_the_model_of_memory(folder):
    pytest.importorskip("distributed")
    _, wanted = train()
    assert train("--workers", 2)[1] == wanted


def test_what_cannot_be_meant_is_refused(folder):
    given = ("train", "tag", "train.conll", "-o", "m.weft")
    assert "--workers and --spill given" in refusal(*given, "--workers", 2, "--spill", "s")
    assert "--tune needs all examples in one place" in refusal(*given, "--spill", "s", "--tune", "grid")
    assert "- is a stream" in refusal("train", "tag", "-", "-o", "m.weft", "--spill", "s")
    assert "no file matches 'absent*.conll'" in refusal("train", "tag", "absent*.conll", "-o", "m.weft", "--spill", "s")
    (folder / "pairs.tsv").write_text("ab\txy\n")
    assert "follows from all lines" in refusal("train", "tag", "pairs.tsv", "-o", "m.weft", "--spill", "s")
    (folder / "letters.conll").write_text("a x\n\n")
    (folder / "words.conll").write_text("word y\n\n")
    assert "words.conll has longer tokens" in refusal("train", "tag", "[lw]*s.conll", "-o", "m.weft", "--spill", "s")
    (folder / "more.conll").write_text("a b c d x\n\n")
    assert "train.conll has 3 column(s), needed 5" in refusal(
        "train", "tag", "[mt]*.conll", "-o", "m.weft", "--spill", "s"
    )
    assert not (folder / "m.weft").exists()
    assert list((folder / "s").iterdir()) == []


def test_a_run_goes_on_where_the_cluster_left_it(folder, monkeypatch):
    _, wanted = train()
    record = Monitor.record

    def lost(self, iteration, *others):
        record(self, iteration, *others)
        if iteration == 3:
            raise InputError("the scheduler is gone; start one, and go on with --resume.")

    monkeypatch.setattr(Monitor, "record", lost)
    line = refusal("train", "tag", "train.conll", "-o", "m.weft", "--max-iter", 4, "--spill", "s")
    assert "the scheduler is gone" in line
    begun = []
    monkeypatch.setattr(Monitor, "record", lambda self, i, *others: begun.append(i) or record(self, i, *others))
    assert train("--spill", "elsewhere", "--resume")[1] == wanted
    assert len(begun) < 4


def test_a_full_disk_leaves_nothing_half_written(folder, monkeypatch):
    from weft.scale import shard_files

    write, n_files = shard_files.write_atomically, 0

    def full(path, writer):
        nonlocal n_files
        n_files += 1
        if n_files == 2:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, writer)

    monkeypatch.setattr(shard_files, "write_atomically", full)
    line = refusal("train", "tag", "train.conll", "-o", "m.weft", "--spill", "s")
    assert "No space left on device" in line
    assert "make room" in line
    assert list((folder / "s").iterdir()) == []


def test_a_folder_that_was_half_made_is_made_again(folder):
    _, wanted = train()
    train("--spill", "s")
    (folder / "s" / "manifest.json").unlink()
    assert "holds other files" in refusal("train", "tag", "train.conll", "-o", "m.weft", "--spill", "s")
    (folder / "s" / "unfinished").touch()  # what a run leaves that was killed
    (folder / "s" / "shards-00000").write_bytes(b"half")
    assert train("--spill", "s")[1] == wanted
    (folder / "s" / "shards-00000").write_bytes(b"cut")
    assert "damaged" in refusal("train", "tag", "train.conll", "-o", "m.weft", "--max-iter", 4, "--spill", "s")


def test_workers_answer_as_this_process_does(folder, monkeypatch):
    train()
    monkeypatch.setattr("weft.kinds.tag.kind.TagKind.batch", 7)
    for command in (["predict", "m.weft", "train.conll", "--confidence"], ["evaluate", "m.weft", "train.conll"]):
        alone, shared = run(*command), run(*command, "--workers", 2)
        assert alone.exit_code == shared.exit_code == 0, shared.output
        assert shared.stdout == alone.stdout
        assert "2 workers; see http" in shared.stderr
    (folder / "bad.conll").write_text("".join(COLUMNS[:9]) + "w1 p1 x y z\n")
    assert "bad.conll, line" in refusal("evaluate", "m.weft", "bad.conll").splitlines()[-1]
    assert "give one of them" in refusal("predict", "m.weft", "train.conll", "--workers", 2, "--cluster", "tcp://x:1")
    assert "- is a stream" in refusal("predict", "m.weft", "--workers", 2)
