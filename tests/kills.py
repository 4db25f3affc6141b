"""Kill saves and trainings at random moments, and look at what is left: `make test-kills`.

Nothing may be lost: after a kill in a save the file is whole, the old one or the new one. Nothing may differ: a
training that was killed again and again, each time gone on with by ``--resume``, ends with the model of one that was
never killed, byte for byte. Nothing may be left over: the next save removes what a killed one had written so far.

Processes are forked from one that has compiled everything, and killed by SIGKILL, which no handler sees.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from weft.apps.cli import app
from weft.checkpoint import Journal, read_array_file, write_array_file
from weft.errors import WeftError

LEARNERS = (
    "crf", "perceptron", "svm", "zscore", "steps", "soda", "margin", "loss", "moments", "expected", "generative", "em",
    "spectral",
)  # fmt: skip
FILES = {
    "tag": "train.conll",
    "rewrite": "words.tsv",
    "classify": "texts.tsv",
    "regress": "words.tsv",
    "align": "pairs.fasta",
    "fold": "rna.dbn",
}
RUNS: dict[str, list[str]] = {
    **{name: ["tag", "--learner", name, "--features", "none"] for name in LEARNERS},
    "rewrite": ["rewrite", "--max-iter", "5"],
    "classify": ["classify", "--n", "2", "--cv", "3"],
    "regress": ["regress", "--cv", "3"],
    "align": ["align"],
    "fold": ["fold", "--grammar", "g6"],
}
"""Task and options of each run that is killed."""
SIZE = 50_000
SECONDS = 120.0
"""What one training may take at the most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saves", type=int, default=1000)
    parser.add_argument("--trainings", type=int, default=200)
    parser.add_argument("--runs", nargs="+", choices=list(RUNS), default=list(RUNS))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        saves = kill_saves(Path(folder), given.saves, draw)
    with tempfile.TemporaryDirectory() as folder:
        trainings = kill_trainings(Path(folder), given.trainings, given.runs, draw)
    for name, facts in (("saves", saves), ("trainings", trainings)):
        print(f"{name}: " + ", ".join(f"{n:,} {what}" for what, n in facts.items()))
    sys.exit(any(facts[what] for facts in (saves, trainings) for what in ("lost", "different", "leftovers")))


def kill_saves(folder: Path, n_kills: int, draw: random.Random) -> dict[str, int]:
    """Counts of what happened; each save writes other numbers, all alike, so that a mixture would show."""
    facts = {"killed": 0, "inside a save": 0, "lost": 0, "different": 0, "leftovers": 0}
    path, number = folder / "arrays.weft", 0
    save(path, number)
    began = time.monotonic()
    save(path, number)
    duration = time.monotonic() - began
    for _ in range(n_kills):
        child = forked(partial(save_many, path, number))
        time.sleep(draw.uniform(0.0, 6.0 * duration))
        facts["killed"] += killed(child)
        facts["inside a save"] += len(list(folder.iterdir())) > 1
        try:
            header, arrays = read_array_file(path)
            number = header["number"]
            facts["different"] += not np.array_equal(arrays["x"], np.full(SIZE, float(number)))
        except WeftError:
            facts["lost"] += 1
        save(path, number)
        facts["leftovers"] += len(list(folder.iterdir())) - 1
    return facts


def save_many(path: Path, number: int) -> None:
    for i in range(1000):
        save(path, number + i)


def save(path: Path, number: int) -> None:
    write_array_file(path, {"number": number}, {"x": np.full(SIZE, float(number))})


def kill_trainings(folder: Path, n_kills: int, runs: list[str], draw: random.Random) -> dict[str, int]:
    """Counts of what happened; states are written at each step, so that kills hit those writes too."""
    assert Journal.__init__.__kwdefaults__ is not None
    Journal.__init__.__kwdefaults__["seconds"] = 0.0
    facts = {"killed": 0, "with a state to go on from": 0, "finished": 0, "lost": 0, "different": 0, "leftovers": 0}
    model = folder / "models" / "m.weft"
    model.parent.mkdir()
    write_data(folder)
    whole, durations = {}, {}
    for run in runs:  # the first time compiles
        for _ in range(2):
            began = time.monotonic()
            train(folder, model, run)
            durations[run] = time.monotonic() - began
        whole[run] = model.read_bytes()
        model.unlink()
    for turn in range(10 * n_kills):
        if facts["killed"] >= n_kills:
            break
        run = runs[turn % len(runs)]
        give_up = time.monotonic() + SECONDS
        patience = 1.2 * durations[run]
        while not model.exists() and time.monotonic() < give_up:
            child = forked(partial(train, folder, model, run))
            time.sleep(draw.uniform(0.0, patience))
            patience *= 1.1  # so that every run has its turn, on a busy machine too
            facts["killed"] += killed(child)
            facts["with a state to go on from"] += Path(f"{model}.checkpoint").exists()
        facts["finished"] += 1
        facts["lost"] += not model.exists()
        facts["different"] += model.exists() and model.read_bytes() != whole[run]
        if len(list(model.parent.iterdir())) > 1:  # killed between the save and its end: the next one tidies up
            train(folder, model, run)
            facts["different"] += model.read_bytes() != whole[run]
        model.unlink(missing_ok=True)
        facts["leftovers"] += len(list(model.parent.iterdir()))
    return facts


def write_data(folder: Path) -> None:
    """One small file for each task."""
    rows = random.Random(1)
    labels = {letter: "xy"[letter in "abc"] for letter in "abcdef"}
    with (folder / FILES["tag"]).open("w") as file:
        for _ in range(40):
            words = rows.choices("abcdef", k=8)
            file.writelines(f"{word} {labels[word] if rows.random() < 0.9 else 'z'}\n" for word in words)
            file.write("\n")
    words = sorted({"".join(rows.choices("abcdef", k=5)) for _ in range(30)})
    (folder / FILES["rewrite"]).write_text("".join(f"{word}\t{word.replace('a', 'o')}\n" for word in words))
    (folder / FILES["classify"]).write_text("".join(f"{word}\t{labels[word[0]]}\n" for word in words))
    pairs = ("A{}C{}G".format(*rows.choices("ACGT", k=2)) for _ in range(10))
    (folder / FILES["align"]).write_text("".join(f">a\n{first}T\n>b\n{first}-\n" for first in pairs))
    (folder / FILES["fold"]).write_text("".join(f">r{i}\nGG{'A' * i}CC\n(({'.' * i}))\n" for i in range(3, 9)))


def train(folder: Path, model: Path, run: str) -> None:
    task, *options = RUNS[run]
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        arguments = ["train", task, str(folder / FILES[task]), "-o", str(model), *options]
        app([*arguments, "--n-jobs", "1", "--resume", "--json"], standalone_mode=False)


def forked(work: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def killed(child: int) -> bool:
    """Kill a process; whether it had not ended by itself."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
