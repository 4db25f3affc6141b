"""Reports on models that rewrite strings."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from weft.kinds.reporting import strongest
from weft.kinds.string_report import NOTHING, string_sections
from weft.kinds.strings import StringKind
from weft.reports import FeatureGroup, Picture
from weft.reports.pictures import heat_map
from weft.rewriting.names import weight_text

MOST_WEIGHTS = 3_000_000
"""Names of more weights take too long to write."""

N_SYMBOLS = 26
N_OUTPUTS = 3
"""Of each symbol, in the picture."""


def sections(kind: StringKind, examples: list[Any], predicted: list[Any]) -> dict[str, Any]:
    """Strings, the strongest contexts, and what symbols become."""
    pictures = _pictures(kind.estimator, examples)
    return string_sections(kind, examples, predicted, *_features(kind.estimator), pictures)


def _features(rewriter: Any) -> tuple[list[FeatureGroup], str]:
    """The strongest contexts of the chain."""
    weights = rewriter.weights_
    if len(weights) > MOST_WEIGHTS:
        return [], f"The chain has {len(weights):,} weights, too many to name here; see Rewriter.feature_names_."
    names = rewriter.feature_names_
    order = np.argsort(-np.abs(weights), kind="stable").tolist()
    contexts: dict[str, float] = {}
    steps: list[tuple[str, float]] = []
    for k in order:
        name, weight = names[k], float(weights[k])
        if name[0] == "step" and len(name) == 3 and isinstance(name[1], tuple):
            if len(steps) < 40:
                steps.append((weight_text(name), weight))
        elif len(contexts) < 400 and name[0] != "context" and name[-1][:1] != ("trait",):
            # The same context may be seen in several ways; its strongest weight stands for all.
            contexts.setdefault(weight_text(name), weight)
        if len(steps) >= 40 and len(contexts) >= 400:
            break
    groups = [
        strongest("In favour of an output", list(contexts.items()), 12, 0),
        strongest("Speak against one", list(contexts.items()), 0, 12),
        strongest("Steps from pair to pair", steps, 8, 4),
    ]
    return [group for group in groups if group.items], "The chain has no weights."


def _pictures(rewriter: Any, examples: list[Any]) -> list[Picture]:
    """What each symbol becomes when nothing is known of its neighbours."""
    model = rewriter.models_[0]
    table = model.joint.tables_
    scores = dict(zip(model.joint.symbols_, table.scores[: len(model.joint.symbols_)].tolist(), strict=True))
    names, outputs = rewriter.input_side_.alphabet.symbols, rewriter.output_side_.alphabet.symbols
    chances: dict[str, dict[str, float]] = {}
    for symbol, name in enumerate(names):
        own: dict[str, float] = {}
        for candidate in range(int(model.chain.first[symbol]), int(model.chain.first[symbol + 1])):
            label = int(model.chain.labels[candidate])
            spelled = model.label_symbols[model.label_offsets[label] : model.label_offsets[label + 1]].tolist()
            written = (" " if rewriter.output_side_.kind == "tokens" else "").join(str(outputs[s]) for s in spelled)
            own[written or NOTHING] = own.get(written or NOTHING, 0.0) + np.exp(scores.get(candidate, -np.inf))
        total = sum(own.values())
        if total > 0.0:
            chances[str(name)] = {key: value / total for key, value in own.items()}
    used = Counter(str(symbol) for example in examples for symbol in example.input)
    rows = sorted(sorted(chances, key=lambda name: (-used[name], name))[:N_SYMBOLS])
    best = {key for name in rows for key, _ in Counter(chances[name]).most_common(N_OUTPUTS)}
    columns = sorted(best - {NOTHING}) + sorted(best & {NOTHING})
    if not columns:
        return []
    values = np.array([[100 * chances[a].get(b, 0.0) for b in columns] for a in rows])
    is_cut = len(rows) < len(chances)
    cut = f" The {len(rows)} most frequent of {len(chances)} symbols are shown." if is_cut else ""
    caption = (
        "Percentage of each output (column) among those of an input symbol (row), by the joint n-gram model "
        f"without context; {NOTHING} is no output, shares below 1 % are left out. The columns are the {N_OUTPUTS} "
        f"likeliest outputs of each symbol.{cut}"
    )
    shown = np.where(values < 1.0, np.nan, values)
    figure = heat_map(shown, rows, columns, "outputs of each symbol", "in ↓ out →", digits=0)
    numbers = {"symbols": rows, "outputs": columns, "percent": values.round(2).tolist()}
    return [Picture("What symbols become", caption, figure, numbers, wide=True)]
