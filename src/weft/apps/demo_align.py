"""The demo of alignments: which letters of two proteins belong together, learned from four pairs of globins."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from weft.estimators.aligner import Aligner
from weft.kinds.picture_files import can_draw, save_picture
from weft.learners.crf import CRF
from weft.model_file import save as save_model
from weft.plotting import AlignmentDisplay, SubstitutionMatrixDisplay
from weft.plotting.axes import new_figure
from weft.sequences.formats.alignments import AlignedPair, write_fasta_pairs

__all__ = ["GlobinData", "figures", "introduce", "make_data", "report", "save", "show", "train"]

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
STARTS = (
    ("V-LSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF-DLSH", "VHLTPEEKSAVTALWGKV--NVDEVGGEALGRLLVVYPWTQRFFESFGDLST"),
    ("V-LSAADKGNVKAAWGKVGGHAAEYGAEALERMFLSFPTTKTYFPHF-DLSH", "VHLSAEEKEAVLGLWGKV--NVDEVGGEALGRLLVVYPWTQRFFESFGDLSN"),
    ("M-LSPADKTNVKADWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF-DLSH", "VHWTAEEKQLITGLWGKV--NVAECGAEALARLLIVYPWTQRFFASFGNLSS"),
    ("M-LTDAEKKEVTALWGKAAGHGEEYGAEALERLFQAFPTTKTYFSHF-DLSH", "VHFTAEEKAAVTSLWSKM--NVEEAGGEALGRLLVVYPWTQRFFDSFGNLSS"),
)
"""How alpha and beta chains of haemoglobin begin, aligned."""
REST = (
    "-----GSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR",
    "PDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH",
)
"""How the two go on in man, after the first of the pairs above."""
LINE = 60


class GlobinData(NamedTuple):
    """Aligned pairs."""

    train: list[tuple[str, str]]
    test: list[tuple[str, str]]


def make_data(seed: int) -> GlobinData:
    """The globins; nothing is random here."""
    return GlobinData(list(STARTS), [REST])


def _ungapped(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(first.replace("-", ""), second.replace("-", "")) for first, second in pairs]


def _aligner(model: str) -> Aligner:
    return Aligner(model, learner=CRF(c2=0.1), alphabet=AMINO_ACIDS, random_state=0)


def train(data: GlobinData) -> tuple[dict[str, Aligner], float]:
    """Aligners with few and with many weights; seconds that the last one took."""
    models, seconds = {}, 0.0
    for name in ("match", "substitution"):
        began = time.perf_counter()
        models[name] = _aligner(name).fit(_ungapped(data.train), data.train)
        seconds = time.perf_counter() - began
    return models, seconds


def figures(data: GlobinData, models: dict[str, Aligner]) -> dict[str, Any]:
    """Columns right in each pair when the others teach, and in another part of the proteins."""
    facts: dict[str, Any] = {"train_pairs": len(data.train)}
    for name, aligner in models.items():
        n_right = n_columns = 0.0
        for left_out in data.train:
            others = [pair for pair in data.train if pair is not left_out]
            taught = _aligner(name).fit(_ungapped(others), others)
            columns = sum("-" not in column for column in zip(*left_out, strict=True))
            n_right += columns * taught.score(_ungapped([left_out]), [left_out])
            n_columns += columns
        facts[name] = {
            "weights": len(aligner.weights_),
            "columns_right_leaving_one_out": n_right / n_columns,
            "columns_right_in_another_part": aligner.score(_ungapped(data.test), data.test),
        }
    return facts


def save(aligner: Aligner, data: GlobinData, path: Path) -> tuple[Path, Path | None]:
    """Save the model, and beside it the test pair and, with matplotlib, a picture of both."""
    save_model(aligner, path, notes={"input": {"format": "fasta"}})
    sample = path.with_name(f"{path.stem}-sample.fa")
    names = ("human alpha chain from letter 51", "human beta chain from letter 51")
    write_fasta_pairs([AlignedPair(names, pair) for pair in data.test], sample)
    if not can_draw():
        return sample, None
    picture = path.with_name(f"{path.stem}-globins.png")
    figure = new_figure(9.6, 10.0)
    above, below = figure.subplots(2, 1, height_ratios=(1, 4))
    AlignmentDisplay.from_estimator(aligner, _ungapped(data.test)[0], ax=above, width=LINE)
    SubstitutionMatrixDisplay.from_estimator(aligner, ax=below)
    save_picture(figure, picture)
    return sample, picture


# ------------------------------------------------------------------ printing


def introduce(data: GlobinData) -> None:
    """Say what is going to happen."""
    print(
        f"How alpha and beta chains of haemoglobin begin: {len(data.train)} aligned pairs, as these.\n"
        "From them weft learns which letters go together, and what gaps cost.\n"
    )
    for first, second in data.train[:2]:
        print(f"{first}\n{second}\n")


def show(data: GlobinData, aligner: Aligner) -> None:
    """Align the test pair, and mark columns by how sure they are."""
    console = Console(highlight=False)
    console.print(
        "How the human chains go on, aligned; below: probability of each pair, 9 for .9",
        style="bold",
        soft_wrap=True,
    )
    pair = _ungapped(data.test)[0]
    [(first, second)], [posterior] = aligner.predict([pair]), aligner.predict_marginals([pair])
    sure = AlignmentDisplay(first, second, posterior).column_probabilities_
    digits = "".join(" " if p != p else str(min(9, int(10 * p))) for p in sure)  # not a number beside a gap
    for start in range(0, len(first), LINE):
        block = slice(start, start + LINE)
        console.print(f"{first[block]}\n{second[block]}", markup=False)
        console.print(Text(digits[block], style="green"))
        console.print()


def report(facts: dict[str, Any], seconds: float) -> None:
    """Print the figures side by side."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("columns right", "weights", "pair left out", "other part"):
        table.add_column(title, justify="left" if title == "columns right" else "right")
    titles = {"match": "equal or not", "substitution": "each pair of letters"}
    for name, title in titles.items():
        own = facts[name]
        scores = [f"{100 * own[f'columns_right_{key}']:.1f} %" for key in ("leaving_one_out", "in_another_part")]
        table.add_row(title, str(own["weights"]), *scores, style="bold" if name == "substitution" else None)
    Console(highlight=False).print(table)
    print(f"Training on {facts['train_pairs']} pairs took {seconds:.1f} s, compilation included.\n")
