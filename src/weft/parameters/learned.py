"""What an estimator has learned, for notebooks: sizes, how learning went, and the largest weights."""

from __future__ import annotations

import html
from typing import Any, NamedTuple

N_SHOWN = 5
"""Weights of each sign."""
MOST_NAMED = 200_000
"""Weights of a model whose names are looked at: naming millions takes longer than anybody waits for a table."""
WIDTH, HEIGHT = 180, 36


class KnownScores(NamedTuple):
    """What was measured of a model that somebody else trained, until it is trained anew."""

    scores: dict[str, str]
    weights: Any

    @classmethod
    def of(cls, owner: Any, scores: dict[str, str]) -> KnownScores:
        """Scores of an estimator as it is now."""
        return cls(scores, _what_fits_replace(owner))

    def still(self, owner: Any) -> dict[str, str]:
        """These scores, if the estimator is the one that they were measured of."""
        return self.scores if self.weights is _what_fits_replace(owner) else {}


def _what_fits_replace(owner: Any) -> Any:
    return next((vars(owner)[name] for name in ("models_", "weights_") if name in vars(owner)), None)


def learned_html(owner: Any) -> str:
    """What there is to tell of a fitted estimator; empty for one that is not, or that has nothing to tell.

    Examples
    --------
    >>> import weft
    >>> page = learned_html(weft.Tagger().fit(["ab"], ["xy"]))
    >>> "n_labels" in page, "<svg" in page
    (True, True)
    """
    summary = getattr(owner, "_training_summary", None)
    if summary is None:
        return ""
    facts = dict(summary())
    history = list(getattr(owner, "history_", None) or [])
    scores = [entry["score"] for entry in history if "score" in entry]
    if scores:
        facts["score"] = f"{scores[-1]:.4f} on held-out data, {max(scores):.4f} at best"
    known = getattr(owner, "_known_scores", None)
    if known is not None:
        facts |= known.still(owner)
    rows = "".join(
        f"<tr><td>{html.escape(str(name))}</td><td>{_shown(value)}</td></tr>" for name, value in facts.items()
    )
    parts = [f"<table>{rows}</table>"] if rows else []
    parts += [_curve(title, values) for title, values in (("objective", _objectives(history)), ("held out", scores))]
    parts.append(_weights(owner))
    inside = "".join(part for part in parts if part)
    return f"<details open><summary>learned</summary>{inside}</details>" if inside else ""


def _objectives(history: list[dict[str, Any]]) -> list[float]:
    return [float(entry["objective"]) for entry in history if entry.get("objective") is not None]


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return html.escape(f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)[:200])


def _curve(title: str, values: list[float]) -> str:
    """A line of what each iteration reached."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = WIDTH / (len(values) - 1)
    points = " ".join(
        f"{i * step:.1f},{HEIGHT - 2 - (value - low) / span * (HEIGHT - 4):.1f}" for i, value in enumerate(values)
    )
    return (
        f'<div>{title} over {len(values)} iterations: {values[0]:.4g} to {values[-1]:.4g}<br><svg width="{WIDTH}" '
        f'height="{HEIGHT}" role="img"><polyline points="{points}" fill="none" stroke="currentColor"/></svg></div>'
    )


def _weights(owner: Any) -> str:
    """The largest weights of each sign with what they belong to."""
    weights: Any = getattr(owner, "weights_", None)
    if getattr(weights, "ndim", 0) != 1 or not 0 < len(weights) <= MOST_NAMED:
        return ""
    names = getattr(owner, "feature_names_", None)
    if names is None or len(names) != len(weights):
        return ""
    written = getattr(owner, "_feature_text", _text)
    order = sorted(range(len(weights)), key=lambda i: (-float(weights[i]), i))
    positive: dict[str, float] = {}
    negative: dict[str, float] = {}
    for found, sign, numbers in ((positive, 1.0, order), (negative, -1.0, reversed(order))):
        for i in numbers:
            if len(found) == N_SHOWN or sign * weights[i] <= 0:
                break
            # Names may be seen in several ways, and weights shared; the strongest stands for all.
            found.setdefault(html.escape(written(names[i])[:120]), float(weights[i]))
    chosen = [*positive.items(), *reversed(negative.items())]
    rows = "".join(f"<tr><td>{name}</td><td>{weight:+.3f}</td></tr>" for name, weight in chosen)
    return f"<table><tr><th>largest weights</th><th></th></tr>{rows}</table>" if rows else ""


def _text(name: Any) -> str:
    parts = name if isinstance(name, tuple) else (name,)
    return " → ".join(map(str, parts))
