"""Model files that somebody made by hand: one part altered, the checksum right.

`python tests/fuzzing/model_files.py --cases 20000` makes such files of every model in the zoo, loads each in a forked
process and asks what loaded. Each file must be refused in one line, or answer as the same estimator that was given the
same arrays in memory; no question may end in a signal, in an exception that is not weft's, or go on for ever.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from model_zoo import ZOO, Animal, answers

import weft
from weft.checkpoint import read_array_file, write_array_file
from weft.model_file.values import build, decode

Arrays = dict[str, np.ndarray]

SECONDS = 60
"""A question about a small model that takes longer goes on for ever."""
BYTES = 6 * 2**30
A_CHILD = 400
"""Files that one process looks at."""
ODD = (None, True, -1, 0, 1, 2**31, 2**63, 10**30, 1.5, 1e300, "", "x", [], [[]], {}, {"$float": "nan"}, {"$tuple": []})
INTEGERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 255, 2**15, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
FLOATS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e300, -1e300, 1e100, 1e30, 0.0, -0.0, 5e-324, 1.0, -1.0)
TYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64")


def altered(header: dict[str, Any], arrays: Arrays, random: np.random.Generator) -> tuple[str, dict[str, Any], Arrays]:
    """What was done, and a header and arrays with one thing altered."""
    if not arrays or random.random() < 0.15:
        text = json.loads(json.dumps(header))
        return _alter_header(text, random), text, arrays
    name = sorted(arrays)[random.integers(len(arrays))]
    changes = dict(arrays)
    kind = ("entry", "entry", "entries", "all", "shift", "order", "type", "size", "shape", "bytes", "swap", "lost")
    what = kind[random.integers(len(kind))]
    if what == "lost":
        del changes[name]
        if random.random() < 0.3:
            changes[name + "x"] = arrays[name]
    elif what == "swap":
        changes[name] = arrays[sorted(arrays)[random.integers(len(arrays))]]
    else:
        with np.errstate(all="ignore"):
            changes[name] = _alter_array(arrays[name], what, arrays, random)
    return f"{what} of {name}", header, changes


def _alter_header(header: dict[str, Any], random: np.random.Generator) -> str:
    """Replace or remove one value anywhere in the parameters, the state or the header itself."""
    at: Any = header
    way = []
    keys = [key for key in header if key not in ("format", "class", "library_version")]
    key: Any = keys[random.integers(len(keys))]
    while True:
        way.append(str(key))
        inner = at[key]
        deeper = list(inner) if isinstance(inner, dict) else list(range(len(inner))) if isinstance(inner, list) else []
        if not deeper or random.random() < 0.15:
            break
        at, key = inner, deeper[random.integers(len(deeper))]
    if random.random() < 0.2:
        del at[key]
    else:
        at[key] = ODD[random.integers(len(ODD))]
    return f"header at {'/'.join(way)}"


def _alter_array(array: np.ndarray, what: str, arrays: Arrays, random: np.random.Generator) -> np.ndarray:
    new = array.copy()
    flat = new.reshape(-1)
    if what == "type":
        return new.astype(TYPES[random.integers(len(TYPES))])
    if what == "size":
        n = int(random.choice([0, 1, max(len(flat) - 1, 0), len(flat) + 1, 2 * len(flat)]))
        return np.resize(new, (n, *new.shape[1:])) if new.size or n == 0 else np.zeros((n, *new.shape[1:]), new.dtype)
    if what == "shape":
        shapes = [new[None], new[..., None], flat, new.T, new.reshape(*new.shape, 1, 1)]
        return np.ascontiguousarray(shapes[random.integers(len(shapes))])
    if not new.size:
        return np.ones(3, dtype=new.dtype)
    if what == "order":
        return random.permutation(new) if random.random() < 0.5 else new[::-1].copy()
    if what == "bytes":
        raw = flat.view(np.uint8)
        raw[random.integers(len(raw), size=1 + random.integers(3))] = random.integers(256, size=1, dtype=np.uint8)
        if new.dtype == bool:
            new = new.astype(np.uint8).astype(bool)
        return new
    if what == "shift":
        if new.dtype.kind in "iu":
            return (new.astype(np.int64) + random.choice([-1, 1, 2])).astype(new.dtype)
        return ~new if new.dtype == bool else -new
    sizes = [len(each) + more for each in arrays.values() if each.ndim for more in (-1, 0, 1)]
    values = FLOATS if new.dtype.kind == "f" else (*INTEGERS, *sizes)
    value = np.array(values[random.integers(len(values))]).astype(new.dtype)
    if what == "all":
        flat[:] = value
    else:
        n = 1 if what == "entry" else max(1, len(flat) // 3)
        flat[random.integers(len(flat), size=n)] = value
    return new


def verdict(animal: Animal, header: dict[str, Any], arrays: Arrays, path: Path) -> str:
    """How a file ends: refused, answered, said (an error of weft's at a question), or what is wrong with it."""
    write_array_file(path, header, arrays)
    try:
        model = weft.load(path)
    except weft.ModelFileError as error:
        return "refused" if "\n" not in str(error) else f"WRONG: several lines: {error}"
    try:
        found = repr(answers(animal, model))
    except weft.WeftError as error:
        return "said" if "\n" not in str(error) else f"WRONG: several lines: {error}"
    own = {key.removeprefix("state/"): array for key, array in arrays.items() if key.startswith("state/")}
    twin = build(header["class"], header["parameters"], arrays)
    twin._from_state(decode(header["state"], arrays), own)
    return "answered" if repr(answers(animal, twin)) == found else "WRONG: other answers than in memory"


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"still at work after {SECONDS} s")


def _child(name: str, header: dict[str, Any], arrays: Arrays, seeds: range, out: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    signal.signal(signal.SIGALRM, _too_slow)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, os.fdopen(out, "w") as report:
        for seed in seeds:
            what, text, changes = altered(header, arrays, np.random.default_rng(seed))
            print(f"{seed}\t{what}", file=report, flush=True)
            signal.alarm(SECONDS)
            try:
                found = verdict(ZOO[name], text, changes, Path(folder, "model.weft"))
            except BaseException as error:
                found = f"WRONG: {type(error).__name__}: {str(error)[:200]}"
            signal.alarm(0)
            print(f"\t{found.splitlines()[0]}", file=report, flush=True)


def look_at(name: str, n_files: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Make `n_files` files of one model; how many ended in which way, and what went wrong."""
    counts: Counter[str] = Counter()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.weft")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ZOO[name].make()
            answers(ZOO[name], model)  # compiles in the parent, once
        weft.save(model, path)
        header, arrays = read_array_file(path)
    seed, end = first, first + n_files
    while seed < end:
        seeds = range(seed, min(seed + A_CHILD, end))
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.close(reading)
                _child(name, header, arrays, seeds, writing)
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        at = ""
        with os.fdopen(reading) as report:
            for line in report:
                if not line.startswith("\t"):
                    at = line.strip()
                    seed = int(at.split("\t")[0]) + 1
                else:
                    found = line.strip()
                    counts[found.partition(":")[0]] += 1
                    if found.startswith("WRONG"):
                        wrong.append(f"{name}, {at}: {found}")
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            counts["SIGNAL"] += 1
            wrong.append(f"{name}, {at}: signal {os.WTERMSIG(status)}")
        elif seed < seeds.stop:
            counts["SIGNAL"] += 1
            wrong.append(f"{name}, {at}: the process ended with {status}")
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="files over all models")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", action="append", choices=list(ZOO), help="only this one")
    arguments = parser.parse_args()
    chosen = arguments.model or list(ZOO)
    total: Counter[str] = Counter()
    wrong: list[str] = []
    for name in chosen:
        start = time.monotonic()
        counts, found = look_at(name, -(-arguments.cases // len(chosen)), arguments.seed)
        total += counts
        wrong += found
        shown = ", ".join(f"{count} {how}" for how, count in sorted(counts.items()))
        print(f"{name}: {shown} ({time.monotonic() - start:.0f} s)", flush=True)
        for line in found[:5]:
            print(f"  {line}", flush=True)
    print(f"{sum(total.values())} files: " + ", ".join(f"{count} {how}" for how, count in sorted(total.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
