"""`weft demo`: a model in a few seconds, without any files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from weft.apps.demo_answers import BUNDLED, Answers
from weft.errors import InputError
from weft.kinds.interrupts import check_interrupt
from weft.kinds.picture_files import can_draw, save_picture
from weft.kinds.terminal import check_target, print_json, status
from weft.models import bundled_names

LEARNING = "learning; the first run also compiles, which takes up to a minute"


@dataclass(frozen=True)
class Demo:
    """What tells one demo from the others; its work is in the module ``demo_NAME``.

    Attributes
    ----------
    description : str
    looking : str
        What is done once the model has learned.
    sample : str
        What the file beside the model holds.
    suffix : str
        How that file ends.
    layout : dict
        How it is laid out, a note in the model.
    option : str
        Options of `weft predict` worth trying.
    chosen : str, optional
        The model to save, where several are compared.
    pictured, picture : str
        What the picture is of, and what is to be seen in it, if there is one.
    """

    description: str
    looking: str
    sample: str
    suffix: str
    layout: dict[str, str]
    option: str = ""
    chosen: str | None = None
    pictured: str = ""
    picture: str = ""


DEMOS = {
    "words": Demo(
        "pronounce English words it never saw, learned from 5,000 others",
        "pronouncing other words",
        "{n} test words",
        "tsv",
        {"format": "tsv"},
        " --kbest 3 --confidence",
    ),
    "dates": Demo(
        "read handwritten dates, digit by digit and as a whole",
        "reading other dates",
        "{n} test dates",
        "jsonl",
        {"format": "jsonl"},
        " --confidence",
    ),
    "classify": Demo(
        "find a secret site in pieces of DNA, told only which pieces have it",
        "looking at other pieces",
        "{n} test pieces",
        "tsv",
        {"format": "tsv", "units": "characters"},
        chosen="gapped",
    ),
    "digits": Demo(
        "read codes of handwritten digits, told only the code of each picture",
        "reading other pictures",
        "{n} test pictures",
        "jsonl",
        {"format": "jsonl", "units": "characters"},
        " --confidence",
        chosen="nearest",
    ),
    "align": Demo(
        "align the rest of two globins, learned from how four pairs of them begin",
        "aligning the other part",
        "the other part",
        "fa",
        {"format": "fasta"},
        " --kbest 2 --confidence",
        chosen="substitution",
        pictured="globins",
        picture="the alignment, and the learned scores",
    ),
    "fold": Demo(
        "fold a transfer RNA, learned from made-up RNAs, and see it drawn",
        "folding other RNAs",
        "{n} RNAs",
        "dbn",
        {"format": "dotbracket"},
        " --confidence",
        chosen="learned",
        pictured="trna",
        picture="the fold, and how probable each pair is",
    ),
}


def _names() -> list[str]:
    return list(DEMOS)


def run(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Which demo; see --list.", autocompletion=_names)
    ] = "words",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Model file to write.")] = None,
    random_state: Annotated[int, typer.Option(help="Seed of the data.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write the figures as JSON.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the demos and stop.")] = False,
) -> None:
    """Train a model on built-in data, show what it gains, and save it.

    Example: `weft demo fold`

    **words**: spellings and sounds of 5,000 words, not aligned; weft pronounces others, and says how sure it is.

    **dates**: handwritten dates from scikit-learn's digit images, read by weft as sequences, and digit by digit.

    **classify**: pieces of DNA with or without a hidden site, told apart by string kernels, which also show the site.

    **digits**: codes of handwritten digits, read by regression onto pairs and triples of digits, without segmentation.

    **align**: four aligned pairs of globins teach which letters go together; another part of them is then aligned.

    **fold**: made-up RNAs teach which bases pair; a real transfer RNA is then folded.
    """
    if show_list and as_json:
        print_json([{"name": each, "description": demo.description} for each, demo in DEMOS.items()])
        return
    if show_list:
        for each, demo in DEMOS.items():
            print(f"{each}: {demo.description}")
        return
    if name not in DEMOS:
        raise InputError(f"there is no demo {name!r}; choose one of {', '.join(DEMOS)}, as in: weft demo dates")
    model = output or Path(f"{name}.weft")
    check_target(model)
    _show(name, model, random_state, as_json)


def _show(name: str, model: Path, seed: int, as_json: bool) -> None:
    """Make data, learn, look at other data, save, and tell."""
    demo = DEMOS[name]
    answers = Answers() if name == "words" and not as_json and BUNDLED in bundled_names() else None
    with status("loading"):
        from weft.model_file import save

        module = import_module(f"weft.apps.demo_{name}")
        data = module.make_data(seed)
        if answers is not None:
            answers.wait()
    if answers is not None:
        answers.show()
    if not as_json:
        module.introduce(data)
    with status(LEARNING):
        models, seconds = module.train(data)
    with status(demo.looking):
        figures = module.figures(data, models)
    check_interrupt()
    best = models if demo.chosen is None else models[demo.chosen]
    save(getattr(best, "tagger", best), model, notes={"input": demo.layout})
    sample = model.with_name(f"{model.stem}-sample.{demo.suffix}")
    module.write_sample(data, sample)
    files: dict[str, Path | None] = {"model": model, "sample": sample}
    if demo.picture:
        files["picture"] = model.with_name(f"{model.stem}-{demo.pictured}.png") if can_draw() else None
    picture = files.get("picture")
    if picture is not None:
        save_picture(module.draw(best, data), picture)
    if as_json:
        names = {key: None if path is None else str(path) for key, path in files.items()}
        print_json({**figures, "training_seconds": round(seconds, 3), **names})
        return
    module.show(data, best)
    module.report(figures, seconds)
    if picture is not None:
        print(f"Look at {picture}: {demo.picture}.")
    what = demo.sample.format(n=getattr(module, "N_SAMPLE", ""))
    model_name, sample_name = shlex.quote(str(model)), shlex.quote(str(sample))
    print(f"Saved {model} (the model) and {sample} ({what}). Try next:")
    print(f"  weft evaluate {model_name} {sample_name}")
    print(f"  weft predict {model_name} {sample_name}{demo.option}")
