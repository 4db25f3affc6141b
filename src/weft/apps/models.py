"""`weft models`: the models that come with the package, their cards, and how they are made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.terminal import print_facts, print_json, progress_line
from weft.models import bundled_names, card


def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Show the card.", autocompletion=bundled_names)
    ] = None,
    build: Annotated[
        bool, typer.Option("--build", help="Rebuild the models from their data; all of them if no name is given.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where --build writes models and cards.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """List the models that come with weft; with a name, show the card of that model.

    Example: `weft models pronounce-en`

    Every command that takes a model file also takes such a name, as does weft.load in Python; a file of the same name
    takes precedence. Scores are on held-out data, by the same recipe trained on the other part of the data.
    """
    if build:
        cards = _build(names, output)
    elif output is not None:
        raise InputError("--output given without --build, which is what writes; add --build, or leave it out.")
    else:
        cards = [card(name) for name in names or bundled_names()]
    if as_json:
        print_json(cards)
    elif names and not build:
        for each in cards:
            _show(each)
    else:
        _list(cards)


def _build(names: list[str] | None, output: Path | None) -> list[dict[str, Any]]:
    from weft.recipes import RECIPES, find_recipe
    from weft.recipes.base import build

    if output is None or not output.is_dir():
        came = "no --output" if output is None else f"--output {str(output)!r}, which is no folder,"
        raise InputError(f"{came} given with --build; needed the folder to write models and cards to: give -o FOLDER.")
    recipes = {name: find_recipe(name) for name in names or RECIPES}
    with progress_line(logged=True) as progress:
        cards = [build(name, recipe, output, progress) for name, recipe in recipes.items()]
    return [{**each, "size": (output / f"{each['name']}.weft").stat().st_size} for each in cards]


def _measured(score: dict[str, Any]) -> str:
    interval = score.get("interval")
    known = f" (95 % interval {100 * interval[0]:.1f} - {100 * interval[1]:.1f})" if interval else ""
    return f"{score['measure']} {100 * score['value']:.1f} %{known}"


def _size(card: dict[str, Any]) -> str:
    size = card["size"]
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _list(cards: list[dict[str, Any]]) -> None:
    for each in cards:
        score = each["scores"][0] if each["scores"] else None
        held_out = "" if score is None else f"; held-out data: {score['measure']} {100 * score['value']:.1f} %"
        print(f"{each['name']}: {each['title']}\n    {each['task']}, {_size(each)}, {each['licence']}{held_out}")
    print("weft models NAME shows where a model comes from; weft predict NAME FILE uses it.")


def _show(card: dict[str, Any]) -> None:
    print(f"{card['name']}: {card['title']}\n")
    facts = [
        ("task", f"{card['task']} ({card['estimator']})"),
        ("size", _size(card)),
        ("made by", f"weft {card['version']}, {card['command']}"),
        ("data", card["data"]),
        ("settings", "; ".join(f"{name} {value}" for name, value in card["settings"].items())),
        *(("held out" if place == 0 else "", f"{_measured(score)}: {score['data']}")
          for place, score in enumerate(card["scores"])),
        ("licence", card["licence"]),
        ("try", card["example"]),
    ]  # fmt: skip
    print_facts([(name, value) for name, value in facts if value])
    print(f"\n{card['notice']}")
