"""Answers of a bundled model before anything is compiled: in a process of its own, whose loops run as plain Python.

A few words take it half a second longer than compiled loops would, which take ten to compile on a new machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

BUNDLED = "pronounce-en"
INVENTED = ["weft", "brillig", "frumious", "zoomify", "quibbleton"]
"""Words that no lexicon has."""


class Answers:
    """Begins to have the words pronounced, while this process does other things."""

    def __init__(self) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "weft.apps.demo_answers"]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        self._began = time.perf_counter()
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def wait(self) -> None:
        """Until they are there."""
        written, _ = self._process.communicate()
        if self._process.returncode:
            raise RuntimeError(f"{BUNDLED} did not answer: exit code {self._process.returncode}")
        self._ranked = json.loads(written)
        self._seconds = time.perf_counter() - self._began

    def show(self) -> None:
        """Print them, and how long they took."""
        from weft.kinds.terminal import console_and_table

        console, table = console_and_table("word", "pronunciation", "sure", words={"pronunciation"})
        for word, (output, probability) in zip(INVENTED, self._ranked, strict=True):
            table.add_row(word, " ".join(output), f"{100 * probability:.0f} %", style="bold")
        console.print(f"Words that no dictionary has, by {BUNDLED}, which comes with weft:", style="bold")
        console.print(table)
        print(f"That took {self._seconds:.1f} s, without compiled code. Any word: echo WORD | weft predict {BUNDLED}\n")
        print("Now a model of its own, from the beginning.")


def answer() -> None:
    """Write the answers for the process that began this one."""
    from weft.model_file import load

    print(json.dumps([ranked[0] for ranked in load(BUNDLED).predict_kbest(INVENTED, 1)]))


if __name__ == "__main__":
    answer()
