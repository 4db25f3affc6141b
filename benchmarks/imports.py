"""How long newcomers wait before anything happens: CPU seconds of imports, help and first answers, in fresh processes.

Run it with ``python -m benchmarks.imports``; each figure is the median of several processes, warm files, the start of
Python itself left out.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HELP = "from weft.apps.cli import app; app({arguments}, standalone_mode=False)"
CASES = {
    "import weft": ("import weft", 0.3),
    "import weft.apps.cli": ("import weft.apps.cli", 0.5),
    "weft --help": (HELP.format(arguments=["--help"]), 0.5),
    "weft train tag --help": (HELP.format(arguments=["train", "tag", "--help"]), 0.8),
    "weft predict missing.weft": (
        "import weft.__main__; sys.argv = ['weft', 'predict', 'missing.weft']\n"
        "    with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()): weft.__main__.main()",
        0.3,
    ),
    "load and predict: tag": ("import weft; weft.load({tagger!r}).predict([['a', 'cat']])", 0.6),
    "load and predict: rewrite": ("import weft; weft.load('pronounce-en').predict(['weft'])", 0.8),
    "load and predict: align": ("import weft; weft.load('align-protein').predict([('ACDE', 'ACE')])", 0.8),
    "load and predict: fold": ("import weft; weft.load('fold-rna').predict(['GGGAAACCC'])", 0.8),
    "the demo's first answer": (
        "from weft.apps import demo_words; demo_words.introduce(demo_words.make_data(0))",
        2.0,
    ),
}
"""What is run, and the seconds it may take."""

MEASURE = """
import contextlib, io, sys, time
began = time.process_time()
with contextlib.redirect_stdout(io.StringIO()):
    {code}
seconds = time.process_time() - began
print(seconds, *sorted({{'numpy', 'scipy', 'sklearn', 'numba', 'matplotlib', 'rich'}} & sys.modules.keys()))
"""


def measure(code: str, repeat: int = 7) -> tuple[float, list[str]]:
    """Median CPU seconds, and which of the larger packages were loaded."""
    seconds, loaded = [], []
    for _ in range(repeat):
        program = [sys.executable, "-c", MEASURE.format(code=code)]
        env = {**os.environ, "COLUMNS": "80"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process compiles all modules anew, as no user's does
        done = subprocess.run(program, capture_output=True, text=True, check=True, env=env)
        first, *loaded = done.stdout.split()
        seconds.append(float(first))
    return statistics.median(seconds), loaded


def main() -> int:
    """Print the times; 1 when one is over its limit."""
    with tempfile.TemporaryDirectory() as folder:
        late = _print_cases(str(Path(folder, "tagger.weft")))
    return int(late)


def _print_cases(tagger: str) -> bool:
    """Train a small tagger, and print the times; whether one is over its limit."""
    import weft

    weft.save(weft.Tagger().fit([["a", "cat"], ["the", "dog"]], [["D", "N"], ["D", "N"]]), tagger)
    late = False
    for name, (code, limit) in CASES.items():
        code = code.replace("{tagger!r}", repr(tagger))
        measure(code, 1)  # compiles what is not compiled yet
        seconds, loaded = measure(code)
        late |= seconds > limit
        print(f"{name:<26} {seconds:6.3f} s of CPU (limit {limit} s)  loads {', '.join(loaded) or 'nothing large'}")
    return late


if __name__ == "__main__":
    sys.exit(main())
