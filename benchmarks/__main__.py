"""Command line of the benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from benchmarks import report
from benchmarks.harness import Entry, Side, UnknownEntryError, all_entries, choose_entries, iterate_results


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Run a peer and weft on the same data, in turn, and print ratios (weft / peer).",
    )
    parser.add_argument("names", nargs="*", help="entries to run (default: all); 'conll2000' runs conll2000-*")
    parser.add_argument("--list", action="store_true", help="list the entries and stop")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything measured to FILE")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each side (default 1)")
    parser.add_argument("--quick", action="store_true", help="a small part of the data, to see that it works")
    parsed = parser.parse_args(arguments)
    if parsed.repeat < 1:
        parser.error(f"--repeat is {parsed.repeat}; it must be at least 1")
    return parsed


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen entries; 1 when a side failed, 2 when a name is unknown."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    console, progress = Console(), Console(stderr=True)
    entries = all_entries()
    if options.list:
        for entry in entries.values():
            console.print(f"{entry.name:<24} {entry.description}", soft_wrap=True, highlight=False)
        return 0
    try:
        chosen = choose_entries(entries, options.names)
    except UnknownEntryError as error:
        progress.print(str(error), style="red", markup=False)
        return 2

    def announce(entry: Entry, side: Side, number: int) -> None:
        progress.print(f"[dim]{entry.name}: {side.name}, run {number + 1} of {options.repeat}[/dim]")

    results = []
    for result in iterate_results(chosen, repeat=options.repeat, quick=options.quick, on_start=announce):
        results.append(result)
        console.print(report.table(result))
        for run in result.errors():
            progress.print(f"{run.side} failed: {run.error}", style="red", markup=False)
        if options.json is not None:
            answer = report.as_json(results, repeat=options.repeat, quick=options.quick)
            options.json.write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")
    return 1 if any(result.errors() for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
