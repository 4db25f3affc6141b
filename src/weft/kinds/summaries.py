"""What training reports: JSON for machines, a few lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.kinds.terminal import print_facts, print_json


def print_summary(summary: Mapping[str, Any], as_json: bool) -> None:
    """Facts about a new model.

    Examples
    --------
    >>> print_summary({"pairs": 1200, "model_bytes": 4210, "objective": None}, as_json=False)
    pairs       1,200
    model size  4.2 kB
    """
    if as_json:
        print_json(summary)
    else:
        print_facts(_readable(name, value) for name, value in summary.items() if value is not None)


def _readable(name: str, value: Any) -> tuple[str, str]:
    if name == "model_bytes":
        return "model size", f"{value / 1e6:,.1f} MB" if value >= 1e5 else f"{value / 1e3:,.1f} kB"
    if name == "held_out":
        return "held out", ", ".join(f"{_title(key)} {100 * score:.2f} %" for key, score in value.items())
    if name == "held_out_accuracy":
        return "held-out accuracy", f"{100 * value:.2f} %"
    if isinstance(value, dict):
        shown = ", ".join(f"{key} {number:,}" for key, number in value.items()) or "none"
    elif isinstance(value, int):
        shown = f"{value:,}"
    else:
        shown = f"{value:,.2f}" if isinstance(value, float) else str(value)
    return ("n-grams" if name == "n_grams" else name.replace("_", " ")), shown


def _title(name: str) -> str:
    """A score's name for people.

    Examples
    --------
    >>> _title("token_accuracy"), _title("chunk_f1")
    ('token accuracy', 'chunk F1')
    """
    return name.replace("_", " ").replace("f1", "F1")


def print_cross_validation(checked: Mapping[str, Any]) -> None:
    """Mean and standard deviation of each score over the folds.

    Examples
    --------
    >>> print_cross_validation({"n_folds": 5, "mean": {"accuracy": 0.9}, "deviation": {"accuracy": 0.02}})
    5-fold cross-validation, mean ± standard deviation over folds
      accuracy   90.00 ± 2.00 %
    <BLANKLINE>
    """
    print(f"{checked['n_folds']}-fold cross-validation, mean ± standard deviation over folds")
    width = max(map(len, checked["mean"]))
    for name, mean in checked["mean"].items():
        print(f"  {_title(name):<{width}}  {100 * mean:6.2f} ± {100 * checked['deviation'][name]:.2f} %")
    print()


def print_tuning(tuned: Mapping[str, Any]) -> None:
    """What was chosen, and what was tried.

    Examples
    --------
    >>> tried = [{"c2": 1.0, "scores": {"accuracy": 0.8}}, {"c2": 0.1, "scores": {"accuracy": 0.9}}]
    >>> print_tuning({"chosen": {"c2": 0.1}, "metric": "accuracy", "on": "3 folds", "tried": tried})
    chosen by accuracy on 3 folds: --c2 0.1
      c2 1     80.00 %
      c2 0.1   90.00 %
    <BLANKLINE>
    """
    flags = [_flag(option, value) for option, value in tuned["chosen"].items() if value is not None]
    chosen = " ".join(flags) or "the defaults"
    print(f"chosen by {_title(tuned['metric'])} on {tuned['on']}: {chosen}")
    rows = {_tried(tried): tried["scores"] for tried in tuned["tried"]}
    width = max(map(len, rows))
    for point, scores in rows.items():
        print(f"  {point:<{width}}  {100 * scores[tuned['metric']]:6.2f} %")
    if "held_out" in tuned:
        share = ", ".join(f"{_title(name)} {100 * score:.2f} %" for name, score in tuned["held_out"].items())
        print(f"on {tuned['n_aside']:,} held-out examples: {share}")
    if tuned.get("out_of_time"):
        print("the budget ended before all settings were compared; a longer --budget tries more.")
    print()


def _tried(tried: Mapping[str, Any]) -> str:
    """What was compared, and on how many examples if that differs.

    Examples
    --------
    >>> _tried({"c2": 0.1, "scores": {}}), _tried({"examples": 62, "scores": {}})
    ('c2 0.1', 'the defaults, on 62 examples')
    """
    options = [f"{option} {_value(value)}" for option, value in tried.items() if option not in ("scores", "examples")]
    where = [f"on {tried['examples']:,} examples"] if "examples" in tried else []
    return ", ".join([*(options or ["the defaults"]), *where])


def _value(value: Any) -> str:
    if value is None:
        return "by default"
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _flag(option: str, value: Any) -> str:
    """How to say a choice on the command line.

    Examples
    --------
    >>> _flag("c2", 0.1), _flag("shape", False)
    ('--c2 0.1', '--no-shape')
    """
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    return f"--{option} {_value(value)}"
