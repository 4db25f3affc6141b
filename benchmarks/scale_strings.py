"""Strings in parts: pairs of CMUdict through `weft train rewrite --spill`, many numbers in words through regressors.

Every measurement has a process of its own; memory is its peak, time that of its processor.

    python -m benchmarks.scale_strings --pairs 20000       # in memory and in files; models have to be equal
    python -m benchmarks.scale_strings --strings 100000    # StringRegressor and KernelDependencyEstimator, in files
    python -m benchmarks.scale_strings --quick
"""

from __future__ import annotations

import argparse
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


def measured(*command: str) -> dict[str, float | str]:
    """CPU seconds and peak memory of a command, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([sys.executable, *command], stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)[:200]} failed")
        output.seek(0)
        said = output.read()
    return {"cpu": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024.0, "said": said}


def pairs(n_pairs: int, folder: Path) -> bool:
    """Whether the first pairs of CMUdict give one model in memory and in files."""
    lexicon = load_g2p_cmudict("train")
    rows = zip(lexicon.inputs[:n_pairs], lexicon.outputs[:n_pairs], strict=True)
    path = folder / "pairs.tsv"
    path.write_text("".join(f"{''.join(word)}\t{' '.join(sounds)}\n" for word, sounds in rows))
    models = []
    for side in ("memory", "files"):
        more = ["--spill", str(folder / "shards")] if side == "files" else []
        given = ["-m", "weft", "train", "rewrite", str(path), "-o", str(folder / side), "--learner", "crf", "--json"]
        found = measured(*given, *more)
        print(f"{n_pairs:,} pairs, {side}: {found['cpu']:.0f} CPU s, {found['peak_mb']:,.0f} MB", flush=True)
        models.append((folder / side).read_bytes())
    print("models are equal byte for byte" if models[0] == models[1] else "models differ")
    return models[0] == models[1]


def strings(n_strings: int, n_basis: int, folder: Path) -> None:
    """Numbers in Spanish words to English ones, from sums over parts."""
    random = np.random.default_rng(0)
    for name, n in (("train", n_strings), ("test", N_NEW)):
        rows = [random.choice(list(WORDS), size=random.integers(1, 6)).tolist() for _ in range(n)]
        lines = [f"{' '.join(row)}\t{' '.join(WORDS[word] for word in row)}\n" for row in rows]
        (folder / f"{name}.tsv").write_text("".join(lines))
    train, test = str(folder / "train.tsv"), str(folder / "test.tsv")
    given = ["-m", "weft", "train", "regress", train, "-o", str(folder / "m.weft"), "--json", "--dev", test]
    given += ["--approximation", "nystroem", "--n-basis", str(n_basis), "--output-order", "3", "--preimage", "nearest"]
    found = measured(*given, "--spill", str(folder / "sums"))
    facts = json.loads(str(found["said"]))
    right = 1.0 - facts["held_out"]["string_error"]
    print(
        f"StringRegressor, {facts['pairs']:,} pairs, {n_basis} in the basis: {found['cpu']:.0f} CPU s, "
        f"{found['peak_mb']:,.0f} MB, {100 * right:.1f} % of {N_NEW} new strings right",
        flush=True,
    )
    found = measured("-c", DEPENDENCY, train, test, str(n_basis))
    facts = json.loads(str(found["said"]))
    print(
        f"KernelDependencyEstimator, {facts['pairs']:,} pairs, {n_basis} in the basis and landmarks: "
        f"{found['cpu']:.0f} CPU s, {found['peak_mb']:,.0f} MB, {100 * facts['string_accuracy']:.1f} % right"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure; 1 if models differ that have to be equal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_strings")
    parser.add_argument("--pairs", type=int, help="pairs of CMUdict")
    parser.add_argument("--strings", type=int, help="numbers in words")
    parser.add_argument("--n-basis", type=int, default=300)
    parser.add_argument("--quick", action="store_true", help="few of both, to see that it works")
    options = parser.parse_args(arguments)
    equal = True
    with tempfile.TemporaryDirectory() as name:
        if options.pairs or options.quick:
            equal = pairs(300 if options.quick else options.pairs, Path(name))
        if options.strings or options.quick:
            strings(*((300, 50) if options.quick else (options.strings, options.n_basis)), Path(name))
    return int(not equal)


if __name__ == "__main__":
    sys.exit(main())
