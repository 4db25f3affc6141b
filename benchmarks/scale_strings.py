"""Strings in parts: pairs of CMUdict through `weft train rewrite --spill`, many numbers in words through regressors.

Every measurement has a process of its own; memory is its peak, time that of its processor.

    python -m benchmarks.scale_strings --pairs 20000       # in memory and in files; models have to be equal
    python -m benchmarks.scale_strings --strings 100000    # StringRegressor and KernelDependencyEstimator, in files
    python -m benchmarks.scale_strings --quick
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from weft.datasets import load_g2p_cmudict

WORDS = {
    "cero": "zero", "uno": "one", "dos": "two", "tres": "three", "cuatro": "four", "cinco": "five", "seis": "six",
    "siete": "seven", "ocho": "eight", "nueve": "nine",
}  # fmt: skip
N_TUNED, ITERATIONS = 200, 3
"""Words that a mixture is tuned on, and iterations of L-BFGS: enough to see what one takes."""
N_NEW = 500
"""Strings that predictions are scored on."""

DEPENDENCY = """
import json, sys, tempfile
from pathlib import Path
import weft
from weft.sequences.formats.table import iter_rows

def read(source):
    rows = [fields for _, fields in iter_rows(source)]
    return [row[0] for row in rows], [row[1] for row in rows]

train, test, n_basis = sys.argv[1:]
parts = weft.scale.Examples.from_files(train, read, cut="lines")
model = weft.KernelDependencyEstimator(approximation="nystroem", n_basis=int(n_basis), n_landmarks=int(n_basis),
                                       alpha=0.01, random_state=0)
model.fit(parts, spill=Path(tempfile.mkdtemp(), "sums"))
X, y = read(Path(test))
right = sum(a == b for a, b in zip(model.predict(X), y)) / len(y)
print(json.dumps({"pairs": model._n_examples, "string_accuracy": right}))
"""


def measured(folder: Path, *command: str) -> dict[str, float | str]:
    """CPU seconds and peak memory of a command in a folder, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([sys.executable, *command], stdout=output, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)[:200]} failed")
        output.seek(0)
        said = output.read()
    return {"cpu": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024.0, "said": said}


def pairs(n_pairs: int, sides: list[str], folder: Path) -> bool:
    """Whether the first pairs of CMUdict give one model in memory and in files; few more of them tune its mixture."""
    lexicon = load_g2p_cmudict("train")
    rows = list(zip(lexicon.inputs, lexicon.outputs, strict=True))[: n_pairs + N_TUNED]
    lines = [f"{''.join(word)}\t{' '.join(sounds)}\n" for word, sounds in rows]
    (folder / "pairs.tsv").write_text("".join(lines[:n_pairs]))
    (folder / "dev.tsv").write_text("".join(lines[n_pairs:]))
    given = ["-m", "weft", "train", "rewrite", "pairs.tsv", "--dev", "dev.tsv", "-o", "m.weft", "--json"]
    given += ["--learner", "crf", "--max-iter", str(ITERATIONS), "--max-chunk", "2"]
    models = set()
    for side in sides:
        found = measured(folder, *given, *(["--spill", "shards"] if side == "files" else []))
        model = hashlib.sha256((folder / "m.weft").read_bytes()).hexdigest()[:16]
        models.add(model)
        print(
            f"{n_pairs:,} pairs, {side}: {found['cpu']:.0f} CPU s, {found['peak_mb']:,.0f} MB, model {model}",
            flush=True,
        )
    if len(sides) > 1:
        print("models are equal byte for byte" if len(models) == 1 else "models differ")
    return len(models) == 1


def strings(n_strings: int, n_basis: int, folder: Path) -> None:
    """Numbers in Spanish words to English ones, from sums over parts."""
    random = np.random.default_rng(0)
    for name, n in (("train", n_strings), ("test", N_NEW)):
        rows = [random.choice(list(WORDS), size=random.integers(1, 6)).tolist() for _ in range(n)]
        lines = [f"{' '.join(row)}\t{' '.join(WORDS[word] for word in row)}\n" for row in rows]
        (folder / f"{name}.tsv").write_text("".join(lines))
    given = ["-m", "weft", "train", "regress", "train.tsv", "-o", "m.weft", "--json", "--dev", "test.tsv"]
    given += ["--approximation", "nystroem", "--n-basis", str(n_basis), "--output-order", "3", "--preimage", "nearest"]
    found = measured(folder, *given, "--spill", "sums")
    facts = json.loads(str(found["said"]))
    right = 1.0 - facts["held_out"]["string_error"]
    print(
        f"StringRegressor, {facts['pairs']:,} pairs, {n_basis} in the basis: {found['cpu']:.0f} CPU s, "
        f"{found['peak_mb']:,.0f} MB, {100 * right:.1f} % of {N_NEW} new strings right",
        flush=True,
    )
    found = measured(folder, "-c", DEPENDENCY, "train.tsv", "test.tsv", str(n_basis))
    facts = json.loads(str(found["said"]))
    print(
        f"KernelDependencyEstimator, {facts['pairs']:,} pairs, {n_basis} in the basis and landmarks: "
        f"{found['cpu']:.0f} CPU s, {found['peak_mb']:,.0f} MB, {100 * facts['string_accuracy']:.1f} % right"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure; 1 if models differ that have to be equal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_strings")
    parser.add_argument("--pairs", type=int, help="pairs of CMUdict")
    parser.add_argument("--sides", nargs="+", default=["memory", "files"], help="of the pairs")
    parser.add_argument("--strings", type=int, help="numbers in words")
    parser.add_argument("--n-basis", type=int, default=300)
    parser.add_argument("--quick", action="store_true", help="few of both, to see that it works")
    options = parser.parse_args(arguments)
    equal = True
    with tempfile.TemporaryDirectory() as name:
        if options.pairs or options.quick:
            equal = pairs(300 if options.quick else options.pairs, options.sides, Path(name))
        if options.strings or options.quick:
            strings(*((300, 50) if options.quick else (options.strings, options.n_basis)), Path(name))
    return int(not equal)


if __name__ == "__main__":
    sys.exit(main())
