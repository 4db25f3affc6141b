"""The child process of the harness: measure one side of one entry and write the answer as JSON."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.harness import all_entries, run_side_here


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worker")
    parser.add_argument("entry")
    parser.add_argument("side")
    parser.add_argument("answer", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    entry = all_entries()[arguments.entry]
    side = next(side for side in entry.sides if side.name == arguments.side)
    run = run_side_here(entry, side, quick=arguments.quick)
    arguments.answer.write_text(json.dumps(asdict(run)), encoding="utf-8")


if __name__ == "__main__":
    main()
