"""Draw `docs/_static/layers.png` and `docs/_static/data.png` from the import graph: python docs/make_layers.py.

The first has a row and a column for each layer of `.importlinter`, upper ones first; a square says how many modules of
the row import the column. The second follows data through a fit and a prediction; every step names the module that
takes it, and two steps in turn are drawn only if a module on the way imports both, even if indirectly.
"""

from __future__ import annotations

import configparser
from itertools import pairwise
from pathlib import Path

import grimp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "_static"
GROUPS = {
    "what users see": "apps serve kinds compat",
    "around the models": "recipes experiments reports plotting datasets testing models model_file",
    "estimators": "estimators scale",
    "learning": "preimages kernel_methods kernels rewriting learners solvers checkpoint metrics losses",
    "output spaces": "structures language_model automata sequences core",
    "foundations": "parameters state_rules errors garbage arrays annotations spelling",
}
COLOURS = dict(zip(GROUPS, ("#c9b8e0", "#cfd6dc", "#f6c9a5", "#f3e0a0", "#b9d8b0", "#e4e0d8"), strict=True))
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names.split()}

FIT = (
    ("kinds.training", "weft train tag", "reads words and labels"),
    ("estimators.tag.tagger", "Tagger.fit", "checks them, runs the fit"),
    ("sequences.encoder", "TokenEncoder", "five input forms to one"),
    ("sequences.corpus", "Corpus", "sparse rows of numbers"),
    ("structures.chain.features", "ChainFeatures", "which weights exist"),
    ("structures.chain.batch", "ChainBatch", "all output spaces, bound\nto data; cut into shards"),
    ("learners.crf", "CRF", "asks the batch, many times,\nand never what it is made of"),
    ("solvers", "L-BFGS", "from gradients to weights"),
    ("model_file", "weft.save", "header and arrays, no code"),
)
PREDICTION = (
    ("apps.predict", "weft predict", "a model and a file"),
    ("model_file", "weft.load", "checks every array"),
    ("kinds.answering", "write_answers", "some examples at a time"),
    ("estimators.tag.tagger", "Tagger.predict", "columns of training alone"),
    ("sequences.encoder", "TokenEncoder", "tokens to rows"),
    ("structures.chain.batch", "ChainBatch", "argmax of all sequences"),
    ("core.shards", "shards", "to threads, in fixed order"),
    ("structures.chain.loops.corpus", "compiled loops", "best labels, by Numba"),
    ("sequences.formats", "files", "labels beside the words"),
)


def layers() -> list[str]:
    """Names of the layers, the upper ones first."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / ".importlinter")
    lines = settings["importlinter:contract:layers"]["layers"].split()
    return [line.strip("()").removeprefix("weft.") for line in lines]


def imports(graph: grimp.ImportGraph, names: list[str]) -> dict[tuple[str, str], int]:
    """How many modules of a layer import another layer, of all pairs that do."""
    counts: dict[tuple[str, str], int] = {}
    for module in graph.modules:
        importer = module.split(".")[1] if "." in module else None
        found = {each.split(".")[1] for each in graph.find_modules_directly_imported_by(module) if "." in each}
        for layer in found - {importer}:
            if importer in names and layer in names:
                counts[importer, layer] = counts.get((importer, layer), 0) + 1
    return counts


def draw_layers(counts: dict[tuple[str, str], int], names: list[str]) -> Figure:
    """A square below the diagonal for each pair that imports; there is none above it."""
    place = {name: i for i, name in enumerate(names)}
    figure = Figure(figsize=(10.5, 9.2), layout="constrained")
    axes = figure.subplots()
    last = len(names)
    for name, i in place.items():
        colour = COLOURS[GROUP_OF[name]]
        axes.add_patch(Rectangle((-5.6, i), 5.5, 1, facecolor=colour, edgecolor="white"))
        axes.text(-0.3, i + 0.5, name, ha="right", va="center", fontsize=9.5)
        axes.add_patch(Rectangle((i, i), 1, 1, facecolor=colour, edgecolor="white"))
        axes.plot([i + 0.5, i + 0.5], [i + 1, last], color="#e6e6e6", lw=0.6, zorder=0)
        axes.plot([0, i], [i + 0.5, i + 0.5], color="#e6e6e6", lw=0.6, zorder=0)
        axes.text(i + 0.5, i - 0.15, name, ha="left", va="bottom", fontsize=8, rotation=55, color="#444444")
    for (importer, imported), count in counts.items():
        row, column = place[imported], place[importer]
        shade = 1.0 - min(1.0, 0.25 + 0.18 * count**0.5)
        axes.add_patch(Rectangle((column + 0.06, row + 0.06), 0.88, 0.88, facecolor=(shade, shade, 0.3 + 0.7 * shade)))
        ink = "white" if shade < 0.5 else "black"
        axes.text(column + 0.5, row + 0.52, str(count), ha="center", va="center", fontsize=6.5, color=ink)
    for k, (group, colour) in enumerate(COLOURS.items()):
        axes.add_patch(Rectangle((19.5, 0.2 + 1.2 * k), 1, 0.9, facecolor=colour))
        axes.text(20.8, 0.65 + 1.2 * k, group, va="center", fontsize=10)
    axes.set_xlim(-5.7, last + 1.5)
    axes.set_ylim(last + 0.1, -2.6)
    axes.set_axis_off()
    axes.set_title("How many modules of a layer (column) import another (row): each imports only from those below it")
    return figure


def check_steps(graph: grimp.ImportGraph, steps: tuple[tuple[str, str, str], ...]) -> None:
    """Fail for a step whose module is not there, or for two in turn that no step imports, even indirectly."""
    modules = [f"weft.{module}" for module, *_ in steps]
    for module in modules:
        assert module in graph.modules, f"there is no {module}"
    below = {each: {each} | graph.find_upstream_modules(each, as_package=True) for each in modules}
    for first, second in pairwise(modules):
        leads = any(first in found and second in found for found in below.values())
        assert leads, f"nothing on the way imports {first} and {second}"


def draw_steps(axes: Axes, steps: tuple[tuple[str, str, str], ...], title: str) -> None:
    """Boxes from left to right, and on in the next row."""
    columns, width, height = 3, 3.0, 1.15
    places = [((k % columns) * 4.0, -(k // columns) * 1.9) for k in range(len(steps))]
    for (module, name, what), (x, y) in zip(steps, places, strict=True):
        colour = COLOURS[GROUP_OF[module.split(".")[0]]]
        box = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0.06", facecolor=colour, edgecolor="#555555")
        axes.add_patch(box)
        axes.text(x + width / 2, y + 0.92, name, ha="center", va="center", fontsize=10.5, weight="bold")
        axes.text(x + width / 2, y + 0.48, what, ha="center", va="center", fontsize=8.5)
        axes.text(x + width / 2, y + 0.06, module, ha="center", va="center", fontsize=7.5, color="#555555")
    style = {"arrowstyle": "-|>", "mutation_scale": 14, "color": "#333333"}
    for (x, y), (further, lower) in pairwise(places):
        if y == lower:
            ends = ((x + width + 0.08, y + height / 2), (further - 0.08, y + height / 2))
        else:  # around the corner, to the beginning of the next row
            half, begin, end = (lower + height + y) / 2, x + width / 2, further + width / 2
            axes.plot([begin, begin, end], [y - 0.08, half, half], color="#333333", lw=1.4)
            ends = ((end, half), (end, lower + height + 0.06))
        axes.add_patch(FancyArrowPatch(*ends, shrinkA=0, **style))
    rows = -(-len(steps) // columns)
    axes.set_xlim(-0.2, (columns - 1) * 4.0 + width + 0.2)
    axes.set_ylim(-(rows - 1) * 1.9 - 0.2, height + 0.2)
    axes.set_axis_off()
    axes.set_title(title, loc="left", fontsize=12)


def main() -> None:
    """Draw both pictures."""
    graph, names = grimp.build_graph("weft"), layers()
    counts = imports(graph, names)
    above = [f"{a} imports {b}" for a, b in counts if names.index(a) > names.index(b)]
    assert not above, above
    draw_layers(counts, names).savefig(TARGET / "layers.png", dpi=100)
    figure = Figure(figsize=(9.5, 9.6), layout="constrained")
    titles = ("Path of data through a fit", "Path of data through a prediction")
    for axes, steps, title in zip(figure.subplots(2), (FIT, PREDICTION), titles, strict=True):
        check_steps(graph, steps)
        draw_steps(axes, steps, title)
    figure.savefig(TARGET / "data.png", dpi=100)
    print(f"{len(names)} layers, {len(counts)} pairs that import; {len(FIT)} and {len(PREDICTION)} steps")


if __name__ == "__main__":
    main()
