"""Millions of tokens: shards in files against memory, two workers against one and against threads.

The data are CoNLL-2000 again and again; words that occur once there are new in each copy, as they are in text.
Every measurement has a process of its own. Models of all sides have to be equal byte for byte.

    python -m benchmarks.scale --millions 2 20     # memory at the first size, files at all, workers at the first
    python -m benchmarks.scale --hashing           # what hashing of attributes costs on CoNLL-2000
    python -m benchmarks.scale --kills 10          # fits whose workers are killed
    python -m benchmarks.scale --text 1000         # megabytes of text through SequenceSVC
    python -m benchmarks.scale --repeat 20         # a million tokens, encoded once, and their shards twenty times
    python -m benchmarks.scale --cost-model F -o P # what lines of the first command mean for more workers, as a picture
    python -m benchmarks.scale --quick
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.measure import peak_memory_mb
from weft.kinds.terminal import console_and_table

MIN_COUNT = 3
ITERATIONS = 3
"""Of L-BFGS: enough to see what one takes, since all ask the same."""


def write_tokens(path: Path, n_tokens: int) -> int:
    """Write copies of CoNLL-2000 up to a number of tokens; the number that was written."""
    sentences, _ = data.conll2000()
    counts = Counter(row[0] for sentence in sentences for row in sentence)
    written = copy = 0
    with path.open("w", encoding="utf-8") as file:
        while written < n_tokens:
            for sentence in sentences:
                for word, tag, label in sentence:
                    own = f"{word}{copy}" if counts[word] == 1 else word
                    file.write(f"{own}\t{tag}\t{label}\n")
                file.write("\n")
                written += len(sentence)
                if written >= n_tokens:
                    break
            copy += 1
    return written


def read(source: Any) -> tuple[Any, Any]:
    from weft.sequences.formats import read_conll

    found = read_conll(source)
    return found.rows, found.labels


def measure_side(side: str, path: Path, folder: Path) -> dict[str, Any]:
    """Fit in this process; what each iteration took."""
    import warnings

    import psutil

    import weft
    from weft.learners.monitor import Monitor
    from weft.scale import Examples
    from weft.scale.connect import connected

    warnings.simplefilter("ignore")
    workers: list[psutil.Process] = []

    def cpu() -> float:
        times = [process.cpu_times() for process in [psutil.Process(), *workers]]
        return sum(each.user + each.system for each in times)

    notes: list[tuple[float, float]] = []
    record = Monitor.record

    def noted(self: Monitor, *arguments: Any) -> bool:
        notes.append((time.perf_counter(), cpu()))
        return record(self, *arguments)

    def tagger(n_iterations: int, n_jobs: int = 2) -> weft.Tagger:
        features = weft.WindowFeatures(width=2, ngrams=2, affixes=3, shape=True)
        return weft.Tagger(weft.CRF(c2=1.0, max_iter=n_iterations), features, min_count=MIN_COUNT, n_jobs=n_jobs)

    tagger(2).fit([[["a", "b"]] * 3] * 6, [["x", "y", "x"]] * 6)  # compiles
    Monitor.record = noted  # type: ignore[method-assign]
    began = (time.perf_counter(), cpu())
    if side.startswith("memory"):
        found = tagger(ITERATIONS, int(side[-1])).fit(*read(path))
    elif side.startswith("files"):
        parts = Examples.from_files(path, read, cut="blank lines")
        found = tagger(ITERATIONS, int(side[-1])).fit(parts, spill=folder / "spill")
    else:
        with connected(workers=int(side[-1])) as client:
            workers += [psutil.Process(pid) for pid in client.run(_pid).values()]
            found = tagger(ITERATIONS).fit(Examples.from_files(path, read, cut="blank lines"), client=client)
    steps = len(notes) - 1
    return {
        "prepare_seconds": notes[0][0] - began[0],
        "prepare_cpu": notes[0][1] - began[1],
        "iteration_seconds": (notes[-1][0] - notes[0][0]) / steps,
        "iteration_cpu": (notes[-1][1] - notes[0][1]) / steps,
        "peak_mb": peak_memory_mb(),
        "n_weights": len(found.weights_),
        "weights": hashlib.sha256(found.weights_.tobytes()).hexdigest(),
    }


def _pid() -> int:
    import os

    return os.getpid()


def main(arguments: list[str] | None = None) -> int:
    """Measure all sides, each in a process of its own; 1 if models differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--millions", type=float, nargs="+", default=[2.0, 20.0], help="millions of tokens")
    parser.add_argument("--sides", nargs="+", default=["memory-2", "files-2", "workers-1", "workers-2"])
    parser.add_argument("--hashing", action="store_true", help="F1 on CoNLL-2000 against columns")
    parser.add_argument("--kills", type=int, metavar="N", help="fits on two workers, one of which is killed")
    parser.add_argument("--text", type=float, metavar="MB", help="Reuters with noise through weft train classify")
    parser.add_argument(
        "--repeat", type=int, metavar="N", help="iterations over the shards of a million tokens N times"
    )
    parser.add_argument("--cost-model", type=Path, metavar="FILE", help="lines of a run with workers-1, -2 and -4")
    parser.add_argument("--output", "-o", type=Path, help="picture of the cost model")
    parser.add_argument("--quick", action="store_true", help="20,000 tokens, to see that it works")
    parser.add_argument("--side", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.side:
        side, path, folder = options.side
        print(json.dumps(measure_side(side, Path(path), Path(folder))))
        return 0
    from benchmarks import scale_more

    if options.cost_model is not None:
        from benchmarks.scale_cost import cost_model

        return cost_model(options.cost_model, options.output)
    if options.hashing:
        return scale_more.hashing(*([300, 5] if options.quick else []))
    if options.kills is not None:
        return scale_more.kills(options.kills, 2_000 if options.quick else 20_000)
    if options.repeat is not None:
        return scale_more.repeated(20_000 if options.quick else 1_000_000, options.repeat)
    if options.text is not None:
        return scale_more.text(options.text, ["--C", "1", "--tol", "0.01", "--min-count", "5", "--n", "4"])
    sizes = [0.02] if options.quick else options.millions
    titles = ("tokens, side", "s/iter", "CPU s/iter", "tokens/s", "prepare s", "CPU s", "peak MB")
    console, table = console_and_table(*titles)
    differ = False
    for millions in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            n_tokens = write_tokens(folder / "train.conll", int(millions * 1e6))
            models = set()
            for side in options.sides if millions == sizes[0] else ["files-2"]:
                command = [sys.executable, "-m", "benchmarks.scale", "--side", side]
                done = subprocess.run(
                    [*command, str(folder / "train.conll"), name], capture_output=True, text=True, check=False
                )
                if done.returncode:
                    print(f"{side} failed: {done.stderr[-2000:]}", file=sys.stderr)
                    return 1
                found = json.loads(done.stdout.splitlines()[-1])
                models.add(found["weights"])
                print(json.dumps({"tokens": n_tokens, "side": side, **found}), file=sys.stderr, flush=True)
                numbers = (
                    f"{found['iteration_seconds']:.2f}",
                    f"{found['iteration_cpu']:.2f}",
                    f"{n_tokens / found['iteration_seconds']:,.0f}",
                    f"{found['prepare_seconds']:.1f}",
                    f"{found['prepare_cpu']:.1f}",
                    f"{found['peak_mb']:,.0f}",
                )
                table.add_row(f"{n_tokens:,} {side}", *numbers)
            differ |= len(models) > 1
    console.print(table)
    print("models differ" if differ else "models are equal byte for byte")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
