"""Draw `docs/_static/overview.png`, the picture of the README: python docs/make_overview.py."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

import weft
from weft.apps.demo_align import AMINO_ACIDS, REST, STARTS
from weft.apps.demo_fold import TRNA, make_data
from weft.plotting import AlignmentDisplay, RNAStructureDisplay, SubstitutionMatrixDisplay
from weft.plotting.axes import new_figure

TARGET = Path(__file__).parent / "_static" / "overview.png"


def ungapped(pair: tuple[str, str]) -> tuple[str, str]:
    """A pair before it was aligned."""
    return pair[0].replace("-", ""), pair[1].replace("-", "")


def main() -> None:
    """Learn from the data of two demos, and draw what they do not know yet."""
    folds = make_data(seed=0)
    folder = weft.Folder("g6", decode="best", random_state=0).fit(folds.X_train, folds.y_train)
    aligner = weft.Aligner(learner=weft.CRF(c2=0.1), alphabet=AMINO_ACIDS)
    aligner.fit([ungapped(pair) for pair in STARTS], list(STARTS))
    figure = new_figure(12.0, 6.4)
    left, right = figure.subfigures(1, 2, width_ratios=(1.05, 1.0))
    fold = RNAStructureDisplay.from_estimator(folder, TRNA.sequence, ax=left.subplots())
    fold.ax_.set_title("A transfer RNA, folded; learned from made-up RNAs")
    above, below = right.subplots(2, 1, height_ratios=(1.0, 1.9))
    aligned = AlignmentDisplay.from_estimator(aligner, ungapped(REST), ax=above, width=33)
    aligned.ax_.set_title("Two globins, aligned; shade: probability of a column")
    matrix = SubstitutionMatrixDisplay.from_estimator(aligner, ax=below)
    matrix.ax_.set_title("The substitution scores behind it, learned from four pairs")
    whole = BytesIO()
    figure.savefig(whole, dpi=110)
    Image.open(whole).convert("RGB").quantize(256).save(TARGET, optimize=True)  # 256 colours make a small file


if __name__ == "__main__":
    main()
