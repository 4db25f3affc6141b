"""How the bundled models are made again from their data: one file each, with a `RECIPE`.

A new model adds a file here and a line in `RECIPES`; ``make models MODELS=NAME`` then trains it, scores the same recipe
on data left out, and writes the model and its card into ``weft/models``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.spelling import did_you_mean

if TYPE_CHECKING:
    from weft.recipes.base import Recipe

__all__ = ["RECIPES", "find_recipe"]

RECIPES: dict[str, str] = {
    "align-protein": "weft.recipes.align_protein",
    "fold-rna": "weft.recipes.fold_rna",
    "pronounce-en": "weft.recipes.pronounce_en",
}
"""Module with the `RECIPE` of each model."""


def find_recipe(name: str) -> Recipe:
    """The recipe of a model.

    Parameters
    ----------
    name : str

    Returns
    -------
    Recipe

    Examples
    --------
    >>> find_recipe("pronounce-klingon")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: there is no recipe for a model 'pronounce-klingon'; ...
    """
    if name not in RECIPES:
        near = did_you_mean(name, list(RECIPES))
        known = f"did you mean {near!r}?" if near else f"choose one of {', '.join(RECIPES)}."
        raise InputError(f"there is no recipe for a model {name!r}; {known}")
    found: Recipe = import_module(RECIPES[name]).RECIPE
    return found
