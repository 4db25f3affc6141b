"""`weft demo`: a model in a few seconds, without any files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.terminal import check_target, print_json, status
from weft.errors import InputError

__all__ = ["run"]

DEMOS = {
    "words": "pronounce English words it never saw, learned from 5,000 others",
    "dates": "read handwritten dates, digit by digit and as a whole",
    "classify": "find a secret site in pieces of DNA, told only which pieces have it",
    "digits": "read codes of handwritten digits, told only the code of each picture",
    "align": "align the rest of two globins, learned from how four pairs of them begin",
    "fold": "fold a transfer RNA, learned from made-up RNAs, and see it drawn",
}


def run(
    name: Annotated[str, typer.Argument(help="Which demo; see --list.")] = "words",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Model file to write.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the data.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write the figures as JSON.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the demos and stop.")] = False,
) -> None:
    """Train a model on built-in data, show what it gains, and save it.

    **words**: spellings and sounds of 5,000 words, not aligned; weft pronounces others, and says how sure it is.

    **dates**: handwritten dates from scikit-learn's digit images, read by weft as sequences, and digit by digit.

    **classify**: pieces of DNA with or without a hidden site, told apart by string kernels, which also show the site.

    **digits**: codes of handwritten digits, read by regression onto pairs and triples of digits, without segmentation.

    **align**: four aligned pairs of globins teach which letters go together; another part of them is then aligned.

    **fold**: made-up RNAs teach which bases pair; a real transfer RNA is then folded.
    """
    if show_list:
        for each, description in DEMOS.items():
            print(f"{each}: {description}")
        return
    if name not in DEMOS:
        raise InputError(f"there is no demo {name!r}; choose one of {', '.join(DEMOS)}, as in: weft demo dates")
    model = output or Path(f"{name}.weft")
    check_target(model)
    demos = {"words": _words, "dates": _dates, "classify": _classify, "digits": _digits, "align": _align, "fold": _fold}
    demos[name](model, seed, as_json)


def _words(model: Path, seed: int, as_json: bool) -> None:
    with status("loading; the first run also compiles, which takes about a minute"):
        from weft.apps import demo_words

        data = demo_words.make_data(seed)
    if not as_json:
        demo_words.introduce(data)
    with status("learning to pronounce"):
        rewriter, seconds = demo_words.train(data)
    with status("pronouncing other words"):
        figures = demo_words.figures(data, rewriter)
    check_interrupt()
    sample = demo_words.save(rewriter, data, model)
    if as_json:
        print_json({**figures, "training_seconds": round(seconds, 3), "model": str(model), "sample": str(sample)})
        return
    demo_words.show(data, rewriter)
    demo_words.report(figures, seconds)
    _say_what_next(model, sample, f"{demo_words.N_SAMPLE} test words", " --kbest 3 --confidence")


def _dates(model: Path, seed: int, as_json: bool) -> None:
    with status("loading; the first run also compiles, which takes some seconds"):
        from weft.apps import demo_dates

        data = demo_dates.make_data(seed)
    if not as_json:
        demo_dates.introduce(data)
    with status("reading each digit alone (LogisticRegression)"):
        alone = demo_dates.read_alone(data)
    with status("reading whole dates (weft)"):
        tagger, seconds = demo_dates.train(data)
        readings = demo_dates.read_whole(tagger, data)
    figures = demo_dates.figures(data, alone, readings)
    check_interrupt()
    sample = demo_dates.save(tagger, data, model)
    if as_json:
        print_json({**figures, "training_seconds": round(seconds, 3), "model": str(model), "sample": str(sample)})
        return
    demo_dates.show(data, alone, readings)
    demo_dates.report(figures, seconds)
    _say_what_next(model, sample, f"{demo_dates.N_SAMPLE} test dates", " --confidence")


def _classify(model: Path, seed: int, as_json: bool) -> None:
    with status("loading; the first run also compiles, which takes some seconds"):
        from weft.apps import demo_classify

        data = demo_classify.make_data(seed)
    if not as_json:
        demo_classify.introduce(data)
    with status("learning"):
        models, seconds = demo_classify.train(data)
    with status("looking at other pieces"):
        figures = demo_classify.figures(data, models)
    check_interrupt()
    sample = demo_classify.save(models["gapped"], data, model)
    if as_json:
        print_json({**figures, "training_seconds": round(seconds, 3), "model": str(model), "sample": str(sample)})
        return
    demo_classify.show(data, models["gapped"])
    demo_classify.report(figures, seconds)
    _say_what_next(model, sample, f"{demo_classify.N_SAMPLE} test pieces", "")


def _digits(model: Path, seed: int, as_json: bool) -> None:
    with status("loading; the first run also compiles, which takes some seconds"):
        from weft.apps import demo_digits

        data = demo_digits.make_data(seed)
    if not as_json:
        demo_digits.introduce(data)
    with status("learning"):
        models, seconds = demo_digits.train(data)
    with status("reading other pictures"):
        figures = demo_digits.figures(data, models)
    check_interrupt()
    sample = demo_digits.save(models["nearest"], data, model)
    if as_json:
        print_json({**figures, "training_seconds": round(seconds, 3), "model": str(model), "sample": str(sample)})
        return
    demo_digits.show(data, models["nearest"])
    demo_digits.report(figures, seconds)
    _say_what_next(model, sample, f"{demo_digits.N_SAMPLE} test pictures", " --confidence")


def _align(model: Path, seed: int, as_json: bool) -> None:
    with status("loading; the first run also compiles, which takes some seconds"):
        from weft.apps import demo_align

        data = demo_align.make_data(seed)
    if not as_json:
        demo_align.introduce(data)
    with status("learning"):
        models, seconds = demo_align.train(data)
        figures = demo_align.figures(data, models)
    check_interrupt()
    sample, picture = demo_align.save(models["substitution"], data, model)
    if as_json:
        files = {"model": str(model), "sample": str(sample), "picture": picture and str(picture)}
        print_json({**figures, "training_seconds": round(seconds, 3), **files})
        return
    demo_align.show(data, models["substitution"])
    demo_align.report(figures, seconds)
    if picture is not None:
        print(f"Look at {picture}: the alignment, and the learned scores.")
    _say_what_next(model, sample, "the other part", " --kbest 2 --confidence")


def _fold(model: Path, seed: int, as_json: bool) -> None:
    with status("loading; the first run also compiles, which takes some seconds"):
        from weft.apps import demo_fold

        data = demo_fold.make_data(seed)
    if not as_json:
        demo_fold.introduce(data)
    with status("learning"):
        models, seconds = demo_fold.train(data)
    with status("folding other RNAs"):
        figures = demo_fold.figures(data, models)
    check_interrupt()
    sample, picture = demo_fold.save(models["learned"], data, model)
    if as_json:
        files = {"model": str(model), "sample": str(sample), "picture": picture and str(picture)}
        print_json({**figures, "training_seconds": round(seconds, 3), **files})
        return
    demo_fold.show(models["learned"])
    demo_fold.report(figures, seconds)
    if picture is not None:
        print(f"Look at {picture}: the fold, and how probable each pair is.")
    _say_what_next(model, sample, f"{demo_fold.N_SAMPLE} RNAs", " --confidence")


def _say_what_next(model: Path, sample: Path, what: str, option: str) -> None:
    model_name, sample_name = shlex.quote(str(model)), shlex.quote(str(sample))
    print(f"Saved {model} (the model) and {sample} ({what}). Try next:")
    print(f"  weft evaluate {model_name} {sample_name}")
    print(f"  weft predict {model_name} {sample_name}{option}")
