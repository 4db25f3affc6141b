"""`weft train classify`: one class for each text."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.apps.classification_files import ClassExample, ClassLayout, Units, iter_class_examples
from weft.apps.learner_options import LEARNING
from weft.apps.resampling import Task
from weft.apps.scoring import class_scores
from weft.apps.tagging_files import FileFormat
from weft.apps.terminal import status
from weft.apps.training import train_command
from weft.errors import InputError

__all__ = ["classify"]


class KernelName(StrEnum):
    """Which parts texts are compared by."""

    NGRAM = "ngram"
    GAPPY = "gappy"
    MISMATCH = "mismatch"
    GKM = "gkm"


PARTS = "Parts of a text"


@train_command
def classify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training data; - for standard input, or gzip.")],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="tsv or jsonl; by the file's suffix if not given.")
    ] = None,
    units: Annotated[
        Units, typer.Option(help="What a text is a sequence of.", rich_help_panel=PARTS)
    ] = Units.CHARACTERS,
    kernel: Annotated[
        KernelName, typer.Option(help="Which parts are counted.", rich_help_panel=PARTS)
    ] = KernelName.NGRAM,
    n: Annotated[int, typer.Option("--n", help="Length of the parts.", rich_help_panel=PARTS)] = 4,
    min_n: Annotated[
        int | None, typer.Option("--min-n", help="Shorter n-grams too, down to this length.", rich_help_panel=PARTS)
    ] = None,
    decay: Annotated[
        float | None, typer.Option(help="Weight of a skipped symbol (gappy).", rich_help_panel=PARTS)
    ] = None,
    max_gap: Annotated[
        int | None, typer.Option(help="Skipped symbols, at the most (gappy).", rich_help_panel=PARTS)
    ] = None,
    free: Annotated[
        int | None,
        typer.Option("--m", help="Symbols that may differ (mismatch, gkm).", rich_help_panel=PARTS),
    ] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize/--no-normalize", help="Make long texts no louder.", rich_help_panel=PARTS)
    ] = True,
    cost: Annotated[float, typer.Option("--C", help="Cost of an error.", rich_help_panel=LEARNING)] = 1.0,
    bias: Annotated[
        bool, typer.Option("--bias/--no-bias", help="A constant feature.", rich_help_panel=LEARNING)
    ] = True,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Give rare classes more weight.", rich_help_panel=LEARNING)
    ] = False,
    probability: Annotated[
        bool, typer.Option("--probability", help="Calibrate probabilities.", rich_help_panel=LEARNING)
    ] = False,
    tol: Annotated[float, typer.Option(help="When to stop.", rich_help_panel=LEARNING)] = 1e-3,
    max_iter: Annotated[int, typer.Option(help="Most passes.", rich_help_panel=LEARNING)] = 1000,
    dev: str | None = None,
) -> Task:
    """Learn to put each text into a class.

    Example: `weft train classify texts.tsv -o topics.weft --cv 5`

    **tsv**: text, tab, label.

    **jsonl** (.jsonl): one object per line with "text" and "label".

    Kernels: **ngram** counts runs of N symbols; **gappy** lets symbols be skipped; **mismatch** lets M of N differ;
    **gkm** looks at N - M of N positions, for DNA and proteins.
    """
    chosen = _kernel(kernel, n, normalize, min_n=min_n, decay=decay, max_gap=max_gap, m=free)
    from weft.estimators.sequence_svc import SequenceSVC
    from weft.sequences.formats.text import name_of

    layout = ClassLayout.choose(file, file_format, units)

    def read(path: str) -> list[ClassExample]:
        examples = list(iter_class_examples(path, layout, labelled=True))
        if not examples:
            raise InputError(f"{name_of(path)} holds no texts; give a {layout.format} file with at least two.")
        return examples

    with status(f"reading {name_of(file)}"):
        examples = read(file)
        held_out = None if dev is None else read(dev)
    classifier = SequenceSVC(
        chosen,
        C=cost,
        bias=bias,
        class_weight="balanced" if balanced else None,
        probability=probability,
        tol=tol,
        max_iter=max_iter,
    )

    def fit(classifier: SequenceSVC, examples: list[ClassExample], dev: list[ClassExample] | None) -> None:
        classifier.fit([example.sequence for example in examples], [example.label for example in examples])

    def scores(classifier: SequenceSVC, examples: list[ClassExample]) -> dict[str, float]:
        predicted = classifier.predict([example.sequence for example in examples])
        return class_scores([example.label for example in examples], predicted.tolist())

    def facts(classifier: SequenceSVC) -> dict[str, Any]:
        return {
            "texts": len(examples),
            "classes": len(classifier.classes_),
            "features": classifier.weights_.shape[1],
            "passes": classifier.n_iter_,
        }

    return Task(
        classifier,
        examples,
        fit,
        scores,
        facts,
        {"input": {"format": str(layout.format), "units": str(layout.units)}},
        name_of(file),
        "text",
        dev=held_out,
        strata=lambda example: example.label,
    )


def _kernel(name: KernelName, n: int, normalize: bool, **given: Any) -> Any:
    import weft

    allowed = {
        KernelName.NGRAM: ("min_n",),
        KernelName.GAPPY: ("decay", "max_gap"),
        KernelName.MISMATCH: ("m",),
        KernelName.GKM: ("m",),
    }[name]
    chosen = {key: value for key, value in given.items() if value is not None}
    unknown = [f"--{key.replace('_', '-')}" for key in chosen if key not in allowed]
    if unknown:
        raise InputError(f"{', '.join(unknown)} came with --kernel {name}, which has no such option; leave it out.")
    kernel: Any
    if name == KernelName.GKM:
        kernel = weft.GappedKMerKernel(n, n - chosen.get("m", n // 3))
    else:
        kinds = {
            KernelName.NGRAM: "NGramKernel",
            KernelName.GAPPY: "GappyKernel",
            KernelName.MISMATCH: "MismatchKernel",
        }
        kernel = getattr(weft, kinds[name])(n, **chosen)
    return weft.Normalized(kernel) if normalize else kernel
