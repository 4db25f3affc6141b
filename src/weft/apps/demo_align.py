"""The demo of alignments: which letters of two proteins belong together, learned from four pairs of globins."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from weft.apps.demo_parts import percents, print_table, trained
from weft.estimators.align.aligner import Aligner
from weft.learners.crf import CRF
from weft.plotting import AlignmentDisplay, SubstitutionMatrixDisplay
from weft.plotting.axes import new_figure
from weft.sequences.formats.alignments import AlignedPair, write_fasta_pairs

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
    names = {name: name for name in ("match", "substitution")}
    return trained(lambda name: _aligner(name).fit(_ungapped(data.train), data.train), names)


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


def write_sample(data: GlobinData, path: Path) -> None:
    """Write the test pair."""
    names = ("human alpha chain from letter 51", "human beta chain from letter 51")
    write_fasta_pairs([AlignedPair(names, pair) for pair in data.test], path)


def draw(aligner: Aligner, data: GlobinData) -> Any:
    """Picture of the test pair and of the learned scores."""
    figure = new_figure(9.6, 10.0)
    above, below = figure.subplots(2, 1, height_ratios=(1, 4))
    AlignmentDisplay.from_estimator(aligner, _ungapped(data.test)[0], ax=above, width=LINE)
    SubstitutionMatrixDisplay.from_estimator(aligner, ax=below)
    return figure


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
    rows = []
    for name, title in {"match": "equal or not", "substitution": "each pair of letters"}.items():
        n_weights, *scores = facts[name].values()
        rows.append([title, str(n_weights), *percents(*scores)])
    print_table(["columns right", "weights", "pair left out", "other part"], rows)
    print(f"Training on {facts['train_pairs']} pairs took {seconds:.1f} s, compilation included.\n")
