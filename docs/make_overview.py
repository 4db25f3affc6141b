"""Draw `docs/_static/overview.png`, the picture of the README: python docs/make_overview.py."""

from __future__ import annotations

import runpy
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

import weft
from weft.apps.demo_align import REST
from weft.apps.demo_fold import TRNA, make_data
from weft.plotting import AlignmentDisplay, RNAStructureDisplay
from weft.plotting.axes import new_figure

TARGET = Path(__file__).parent / "_static" / "overview.png"
TAG_WORDS = Path(__file__).parents[1] / "examples" / "tag_words.py"
SENTENCE = ["the", "can", "can", "fish"]
NAMES = {"D": "determiner", "N": "noun", "M": "modal", "V": "verb", "P": "pronoun"}
WORD = "quibbleton"


def title(axes: Any, text: str) -> None:
    """A heading above a panel without axes."""
    axes.set_title("")
    axes.set_title(text, loc="left", fontsize=13, fontweight="bold")
    axes.set_axis_off()


def draw_labels(axes: Any) -> None:
    """A sentence, a label below each word and its probability."""
    tagger = runpy.run_path(str(TAG_WORDS))["main"]()
    [labels], [marginals] = tagger.predict([SENTENCE]), tagger.predict_marginals([SENTENCE])
    title(axes, "Label words, with probabilities")
    for place, (word, label, row) in enumerate(zip(SENTENCE, labels, marginals, strict=True)):
        x = 0.11 + 0.21 * place
        axes.text(x, 0.78, word, ha="center", fontsize=14, family="monospace")
        axes.text(x, 0.38, NAMES[label], ha="center", fontsize=12, color="#1b6b3a", fontweight="bold")
        axes.text(x, 0.05, f"{row[label]:.2f}", ha="center", fontsize=10, color="#666666")


def draw_pronunciations(axes: Any) -> None:
    """A word that no dictionary has, and the two best ways to say it."""
    title(axes, "Pronounce words")
    axes.text(0.02, 0.45, WORD, fontsize=14, family="monospace")
    for line, (sounds, probability) in enumerate(weft.load("pronounce-en").predict_kbest([WORD], 2)[0]):
        y = 0.65 - 0.4 * line
        axes.text(0.33, y, " ".join(sounds), fontsize=12, color="#1b6b3a", fontweight="bold" if line == 0 else "normal")
        axes.text(0.86, y, f"{probability:.2f}", fontsize=10, color="#666666")


def main() -> None:
    """Bundled models and those of two examples, on data that they were not trained on."""
    folds = make_data(seed=0)
    folder = weft.Folder("g6", decode="best", random_state=0).fit(folds.X_train, folds.y_train)
    figure = new_figure(9.4, 5.0)
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.12)
    left, right = figure.subfigures(1, 2, width_ratios=(1.3, 1.0))
    words, sounds, proteins = left.subplots(3, 1, height_ratios=(1.0, 0.8, 1.9))
    draw_labels(words)
    draw_pronunciations(sounds)
    pair = (REST[0].replace("-", ""), REST[1].replace("-", ""))
    AlignmentDisplay.from_estimator(weft.load("align-protein"), pair, ax=proteins, width=32)
    title(proteins, "Align proteins (darker: more probable)")
    fold = right.subplots()
    RNAStructureDisplay.from_estimator(folder, TRNA.sequence, ax=fold)
    title(fold, "Fold RNA")
    whole = BytesIO()
    figure.savefig(whole, dpi=110)
    Image.open(whole).convert("RGB").quantize(256).save(TARGET, optimize=True)  # 256 colours make a small file


if __name__ == "__main__":
    main()
