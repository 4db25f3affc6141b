"""How long newcomers wait before anything happens: CPU seconds of imports and of help, in fresh processes.

Run it with ``python -m benchmarks.imports``; each figure is the median of several processes, warm files, the start of
Python itself left out.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

HELP = "from weft.apps.cli import app; app({arguments}, standalone_mode=False)"
CASES = {
    "import weft": ("import weft", 0.3),
    "import weft.apps.cli": ("import weft.apps.cli", 0.5),
    "weft --help": (HELP.format(arguments=["--help"]), 0.5),
    "weft train tag --help": (HELP.format(arguments=["train", "tag", "--help"]), 0.8),
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
        done = subprocess.run(program, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"})
        first, *loaded = done.stdout.split()
        seconds.append(float(first))
    return statistics.median(seconds), loaded


def main() -> int:
    """Print the times; 1 when one is over its limit."""
    late = False
    for name, (code, limit) in CASES.items():
        seconds, loaded = measure(code)
        late |= seconds > limit
        print(f"{name:<24} {seconds:6.3f} s of CPU (limit {limit} s)  loads {', '.join(loaded) or 'nothing large'}")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
