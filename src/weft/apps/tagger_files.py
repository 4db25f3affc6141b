"""Taggers in model files, together with the layout of the file they were trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.apps.tagging_files import Layout

if TYPE_CHECKING:
    from weft.estimators.tagger import Tagger

__all__ = ["load_tagger", "save_tagger"]


def save_tagger(tagger: Tagger, path: Path, layout: Layout) -> None:
    """Save a tagger; the layout goes into the training summary of the file's header."""
    from weft.model_file import save

    save(tagger, path, notes={"input": layout.to_facts()})


def load_tagger(path: Path) -> tuple[Tagger, Layout | None]:
    """Load a tagger and the layout it was trained on, None if it was trained from Python."""
    from weft.model_file import load, read_header

    header = read_header(path)
    # A spectral tagger has an ordinary one inside.
    is_spectral = header.class_name == "SpectralTagger"
    tagger: Tagger = load(path).tagger_ if is_spectral else load(path, expected="Tagger")
    layout = Layout.from_facts(header.summary.get("input"))
    if layout is None and tagger.features is None and tagger.encoder_.kind == "symbols":
        layout = Layout("conll", columns=1)
    return tagger, layout
