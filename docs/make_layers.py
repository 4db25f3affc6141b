"""Draw `docs/_static/layers.png` from the import graph: python docs/make_layers.py.

A row for each layer of `.importlinter`, upper ones above. A curve goes from a layer to each one that it imports, wider
for more imports, but for those that it also reaches through others: what is left shows who stands on whom.
"""

from __future__ import annotations

import configparser
from pathlib import Path

import grimp
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "_static" / "layers.png"
GROUPS = {
    "what users see": ("apps", "serve", "kinds", "compat"),
    "around the models": (
        "recipes",
        "experiments",
        "reports",
        "plotting",
        "datasets",
        "testing",
        "models",
        "model_file",
    ),
    "estimators": ("estimators", "scale"),
    "learning": (
        "preimages",
        "kernel_methods",
        "kernels",
        "rewriting",
        "learners",
        "solvers",
        "metrics",
        "losses",
        "checkpoint",
    ),
    "output spaces": ("structures", "language_model", "automata", "sequences", "core"),
    "floor": ("parameters", "state_rules", "errors", "arrays", "spelling"),
}  # fmt: skip
COLOURS = dict(zip(GROUPS, ("#c9b8e0", "#d9d9d9", "#f6c9a5", "#f3e0a0", "#b9d8b0", "#e9e9e9"), strict=True))


def layers() -> list[str]:
    """Names of the layers, the upper ones first."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / ".importlinter")
    lines = settings["importlinter:contract:layers"]["layers"].split()
    return [line.strip("()").removeprefix("weft.") for line in lines]


def imports(names: list[str]) -> dict[tuple[str, str], int]:
    """How many modules of a layer import another layer, of all pairs that do."""
    graph = grimp.build_graph("weft")
    counts: dict[tuple[str, str], int] = {}
    for module in graph.modules:
        importer = module.split(".")[1] if "." in module else None
        found = {
            imported.split(".")[1] for imported in graph.find_modules_directly_imported_by(module) if "." in imported
        }
        for layer in found - {importer}:
            if importer in names and layer in names:
                counts[importer, layer] = counts.get((importer, layer), 0) + 1
    return counts


def direct(counts: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Without pairs that follow from others."""
    below: dict[str, set[str]] = {}
    for upper, lower in counts:
        below.setdefault(upper, set()).add(lower)
    reached = {name: set(found) for name, found in below.items()}
    for _ in below:  # long enough for the longest way
        for found in reached.values():
            found.update(*(reached.get(name, ()) for name in tuple(found)))
    return {
        (upper, lower): count
        for (upper, lower), count in counts.items()
        if not any(lower in reached.get(between, ()) for between in below[upper] - {lower})
    }


def main() -> None:
    """Draw the layers below each other, and what they import as curves beside them."""
    names = layers()
    group_of = {name: group for group, members in GROUPS.items() for name in members}
    rows = {name: -row for row, name in enumerate(names)}
    figure = Figure(figsize=(7.5, 9.5), layout="constrained")
    axes = figure.subplots()
    counts = imports(names)
    drawn = direct(counts)
    for (upper, lower), count in drawn.items():
        distance = rows[upper] - rows[lower]
        side, edge = (1, 1.25) if distance <= 4 else (-1, -1.25)
        arrow = FancyArrowPatch(
            (edge, rows[upper]), (edge, rows[lower]), connectionstyle=f"arc3,rad={-side * 0.55}", arrowstyle="-|>",
            mutation_scale=7, linewidth=0.5 + 0.4 * count**0.5, color=COLOURS[group_of[upper]], alpha=0.95,
        )  # fmt: skip
        arrow.set_edgecolor(_darker(COLOURS[group_of[upper]]))
        arrow.set_facecolor(_darker(COLOURS[group_of[upper]]))
        axes.add_patch(arrow)
    for name, row in rows.items():
        axes.text(
            0, row, name, ha="center", va="center", fontsize=9,
            bbox={"boxstyle": "round,pad=0.28", "facecolor": COLOURS[group_of[name]], "edgecolor": "#555555"},
        )  # fmt: skip
    for group, members in GROUPS.items():
        places = [rows[name] for name in members]
        axes.text(-6.9, sum(places) / len(places), group, ha="left", va="center", fontsize=10, style="italic")
    axes.set_xlim(-7, 5)
    axes.set_ylim(-len(names), 1)
    axes.set_axis_off()
    axes.set_title(
        "A layer imports only from those below it. Arrows: who stands on whom; width: how many modules", fontsize=10
    )
    figure.savefig(TARGET, dpi=110)
    print(
        f"{len(names)} layers, {len(counts)} pairs that import, {len(drawn)} of them drawn: {TARGET.relative_to(ROOT)}"
    )


def _darker(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) / 255 * 0.62 for k in (1, 3, 5))


if __name__ == "__main__":
    main()
