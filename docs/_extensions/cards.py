"""The cards of the models that come with weft as one page, made from the cards that are in the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weft.models import bundled_names, card

PAGE = Path(__file__).parents[1] / "models" / "generated" / "cards.md"


def score(fact: dict[str, Any]) -> str:
    """A row: what was measured, its value, and on what."""
    low, high = (f"{100 * value:.1f}" for value in fact["interval"]) if fact.get("interval") else ("", "")
    return f"| {fact['measure']} | {100 * fact['value']:.1f}&nbsp;% | {low} to {high} | {fact['data']} |"


def as_code(value: Any) -> str:
    """Calls as code, so that their quotes stay; other values as they are."""
    return f"`{value}`" if "(" in str(value) and " " not in str(value).replace(", ", ",") else str(value)


def section(name: str) -> str:
    """One card."""
    facts = card(name)
    size = f"{facts['size'] / 1e6:.1f} MB" if facts["size"] >= 1e5 else f"{facts['size'] / 1e3:.1f} kB"
    title = f"**{facts['title'][0].upper()}{facts['title'][1:]}.**"
    settings = "; ".join(f"{key} {as_code(value)}" for key, value in facts["settings"].items())
    return "\n".join(
        [
            f"## {name}",
            "",
            f"{title} {size}, licence: {facts['licence']}.",
            "",
            f"```sh\n{facts['example']}\n```",
            "",
            "| on held-out data | score | 95 % interval | data |",
            "|---|---|---|---|",
            *map(score, facts["scores"]),
            "",
            f"* Task: {facts['task']} (`{facts['estimator']}`)",
            f"* Data: {facts['data']}",
            f"* Settings: {settings}",
            f"* Made by weft {facts['version']}: `{facts['command']}`",
            "",
            f"> {facts['notice']}".replace("\n", "\n> "),
            "",
        ]
    )


def write_page(app: Any) -> None:
    """Write all cards, before Sphinx looks for pages."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text("# Model cards\n\n" + "\n".join(map(section, bundled_names())), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
