"""One example at a time, and the first one of a process, beside another version of weft: CPU times and their ratios.

Run it with ``python -m benchmarks.beside TREE``, where TREE has the other version (``git worktree add TREE COMMIT``),
and names of cases after it if not all are wanted. Each version fits and saves its models; then processes of both load
them in turn. Some ask for a batch and for single examples, in milliseconds: the share of one in the batch, and what a
call for one takes above it, at the median. Others load, predict once and end: all of their seconds. What is printed is
this version / the other = ratio, each the median of several processes. Both run on the interpreter and the libraries
of this one; after edits of compiled loops, in either, give ``NUMBA_CACHE_DIR`` a new folder.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from statistics import median

from benchmarks.single import NAMES

ROOT = Path(__file__).resolve().parents[1]
N_ROUNDS, N_FRESH = 3, 7

FRESH = """
import json, sys
import weft
weft.load(sys.argv[1]).predict(json.loads(sys.argv[2]))
"""

Measured = dict[str, float]


def fit_all(folder: Path, names: list[str]) -> None:
    """Fit and save each case, with what it is asked; in the process of one version."""
    import weft
    from benchmarks.single import prepare

    cases = prepare(quick=False)
    for name in names or list(cases):
        model = cases[name].make().fit(*cases[name].train)
        asked = cases[name].asked
        model.predict(asked), model.predict(asked[:1])
        weft.save(model, folder / f"{name}.weft")
        (folder / f"{name}.json").write_text(json.dumps(asked), encoding="utf-8")


def ask(folder: Path, name: str) -> Measured:
    """Share of the batch, and the median of single calls above it; in the process of one version."""
    import weft
    from benchmarks.single import median_of_calls, share_of_batch

    model = weft.load(folder / f"{name}.weft")
    asked = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    share = share_of_batch(model, asked)
    return {"share": share, "above": median_of_calls(model, asked) - share}


def ask_fresh(tree: Path, folder: Path, name: str) -> float:
    """CPU seconds of a process that loads a model and predicts once."""
    first = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))[:1]
    began = _seconds_of_children()
    _run(tree, ["-c", FRESH, str(folder / f"{name}.weft"), json.dumps(first)])
    return _seconds_of_children() - began


def _seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(tree: Path, arguments: list[str]) -> str:
    """What a process prints whose weft is that of the tree."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(ROOT)])}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process compiles all modules anew, as no user's does
    command = [sys.executable, "-W", "ignore", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env).stdout


def compare(other: Path, names: list[str]) -> None:
    """Print a line for each case: this version, the other, and the ratio of the two."""
    with tempfile.TemporaryDirectory() as made:
        sides = [(ROOT, Path(made, "this")), (other, Path(made, "other"))]
        for tree, folder in sides:
            folder.mkdir()
            _run(tree, ["-m", __spec__.name, "--fit", str(folder), *names])
        print(f"{'':<22}{'share of a batch, ms':>28}{'p50 above it, ms':>28}{'fresh process, s':>28}")
        for name in names or sorted(path.stem for path in sides[0][1].glob("*.weft")):
            rounds: list[list[Measured]] = [[], []]
            for _ in range(N_ROUNDS):
                for i, (tree, folder) in enumerate(sides):
                    rounds[i].append(json.loads(_run(tree, ["-m", __spec__.name, "--ask", str(folder), name])))
            for _ in range(N_FRESH):
                for i, (tree, folder) in enumerate(sides):
                    rounds[i].append({"fresh": ask_fresh(tree, folder, name)})
            cells = [_cell(rounds, measure) for measure in ("share", "above", "fresh")]
            print(f"{name:<22}{''.join(f'{cell:>28}' for cell in cells)}", flush=True)


def _cell(rounds: list[list[Measured]], measure: str) -> str:
    ours, theirs = (median(each[measure] for each in side if measure in each) for side in rounds)
    return f"{ours:.3f} / {theirs:.3f} = {ours / theirs:.2f}"


def main(arguments: list[str]) -> int:
    """The whole comparison, or the part of it that one process does."""
    warnings.simplefilter("ignore")
    if arguments[:1] == ["--fit"]:
        fit_all(Path(arguments[1]), arguments[2:])
    elif arguments[:1] == ["--ask"]:
        print(json.dumps(ask(Path(arguments[1]), arguments[2])))
    elif arguments and Path(arguments[0], "src", "weft").is_dir():
        unknown = next((name for name in arguments[1:] if name not in NAMES), None)
        if unknown is not None:
            print(f"no case is called {unknown!r}; needed some of {'; '.join(NAMES)}", file=sys.stderr)
            return 2
        compare(Path(arguments[0]).resolve(), arguments[1:])
    else:
        given = f"{arguments[0]!r} has no src/weft" if arguments else "no folder given"
        print(f"{given}; give the folder of another version of this repository", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
