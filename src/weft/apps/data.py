"""`weft data`: which public data sets there are, and which are here."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.kinds.terminal import print_json


def run(as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False) -> None:
    """List the public data sets that weft can load, and which of them are installed.

    Example: `WEFT_DATA=/data weft data --json`

    Data sets lie in folders of their names, below the folder that the environment variable WEFT_DATA names.
    """
    import os

    from weft.datasets.registry import DATASETS, VARIABLE, available

    here, root = available(), os.environ.get(VARIABLE)
    if as_json:
        facts = ("description", "source", "licence", "files", "layout")
        listed = [
            {"name": name, "available": here[name], **{fact: getattr(dataset, fact) for fact in facts}}
            for name, dataset in DATASETS.items()
        ]
        print_json({"folder": root, "datasets": listed})
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for name, dataset in DATASETS.items():
        mark = Text("here   ", style="green") if here[name] else Text("missing", style="yellow")
        console.print(Text.assemble(mark, "  ", (name, "bold"), "  ", dataset.description))
        details = f"{dataset.source}; licence: {dataset.licence}"
        console.print(Padding(Text(details, style="dim"), (0, 0, 0, 9)))
    place = f"{VARIABLE}={root}" if root else f"{VARIABLE} is not set; set it to the folder that holds these folders"
    console.print(f"\n{sum(here.values())} of {len(here)} data sets are installed. {place}.", soft_wrap=True)
