"""What a recipe is, and how a model and its card are made from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weft.model_file import read_header, save
from weft.sequences.formats.atomic import atomic_write


@dataclass(frozen=True)
class Score:
    """How good the recipe is on data that it was not trained on.

    Attributes
    ----------
    measure : str
        Such as ``"words wrong"``.
    value : float
        A share, from 0 to 1.
    data : str
        What it was measured on, and that it was held out.
    interval : (float, float), optional
        95 % interval.
    """

    measure: str
    value: float
    data: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Recipe:
    """How a bundled model is made.

    Attributes
    ----------
    title : str
        What the model does, in a few words.
    task : str
        Kind of model, as in ``weft train TASK``.
    data : str
        What it is trained on, with the source.
    licence : str
        Of the data and so of the model, in a few words.
    notice : str
        What the licence wants to be said.
    settings : mapping
        What was chosen, for the card; how it was chosen belongs there too.
    train : callable
        Fits the estimator on everything; takes a function that is told what is going on.
    evaluate : callable
        Trains the same recipe on a part of the data and returns a `Score` for each measure, the most telling first;
        takes the same function.
    save_options : mapping
        Further arguments of `weft.save`.
    notes : mapping
        Facts for the summary of the model file: how files are laid out, as ``weft train`` keeps it.
    example : str
        A line to try.
    """

    title: str
    task: str
    data: str
    licence: str
    notice: str
    settings: Mapping[str, Any]
    train: Callable[[Callable[[str], None]], Any]
    evaluate: Callable[[Callable[[str], None]], list[Score]]
    save_options: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    example: str = ""


def build(name: str, recipe: Recipe, folder: Path, progress: Callable[[str], None]) -> dict[str, Any]:
    """Train, save and score; the card. No file changes before all is done.

    Parameters
    ----------
    name : str
    recipe : Recipe
    folder : Path
        Gets ``NAME.weft`` and ``NAME.json``.
    progress : callable
        Told what is going on.

    Returns
    -------
    dict
    """
    scores = recipe.evaluate(lambda text: progress(f"{name}, scoring: {text}"))
    estimator = recipe.train(lambda text: progress(f"{name}: {text}"))
    model = folder / f"{name}.weft"
    save(estimator, model, notes=dict(recipe.notes), **recipe.save_options)
    card = {
        "name": name,
        "title": recipe.title,
        "task": recipe.task,
        "estimator": read_header(model).class_name,
        "version": version("weft"),
        "licence": recipe.licence,
        "data": recipe.data,
        "settings": dict(recipe.settings),
        "scores": [asdict(score) for score in scores],
        "command": f"make models MODELS={name}",
        "example": recipe.example,
        "notice": recipe.notice,
    }
    text = json.dumps(card, ensure_ascii=False, indent=2) + "\n"
    with atomic_write(folder / f"{name}.json") as file:
        file.write(text.encode())
    return card
