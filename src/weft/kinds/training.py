"""A run of `weft train`, alike for all kinds: checking, tuning, going on after an interrupt, saving and telling."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft import __version__
from weft.errors import InputError
from weft.kinds.base import Kind
from weft.kinds.interrupts import check_interrupt
from weft.kinds.parted import NOWHERE, OPTIONS, Places
from weft.kinds.resampling import cross_validate, fit_located, fit_quietly
from weft.kinds.summaries import print_cross_validation, print_summary, print_tuning
from weft.kinds.terminal import (
    check_target,
    is_watched,
    line_writer,
    printed_warnings,
    progress_line,
    refuse_one_file_for_two,
    refuse_own_input,
    status,
)
from weft.kinds.tuning import tune
from weft.sequences.formats.binary import is_model

if TYPE_CHECKING:
    from weft.checkpoint import Journal

Tuning = StrEnum("Tuning", ["GRID", "AUTO"])

READ = ("file", "grammar", "energies", "prior")
"""Options of kinds that may be files; a choice of some names is not one."""
WRITTEN = ("matrix", "plot")
"""Options of kinds that are files to write."""
RUN = "run"
"""Where the header of a model keeps the settings of its training."""


@dataclass(frozen=True)
class Options:
    """Options that all trainings have."""

    output: Path | None
    columns: str | None
    dev: str | None
    cv: int | None
    cv_only: bool
    tune: Tuning | None
    budget: str | None
    config: Path | None
    save_config: Path | None
    resume: bool
    random_state: int
    n_jobs: int
    as_json: bool
    places: Places = NOWHERE


class Training:
    """One run.

    Parameters
    ----------
    kind : Kind
    options : Options
    settings : dict
        The command and all its options as plain values, for the model file.
    given : set of str
        Options that the user chose: they are not tuned.
    possible : set of str
        All options of the command.
    """

    def __init__(
        self,
        kind: Kind,
        options: Options,
        settings: dict[str, Any],
        given: Collection[str],
        possible: Collection[str],
    ) -> None:
        self.kind, self.options, self.settings = kind, options, settings
        self.given, self.possible = given, possible

    def run(self, own: Mapping[str, Any]) -> None:
        """Learn; `own` has the options that only this kind has."""
        from weft.checkpoint import journal_kept

        began = time.perf_counter()
        options = self.options
        self._check(own)
        kind = self.kind
        kind.in_parts = options.places.asked_for
        with printed_warnings():
            type(kind).recipe().prepare(kind, **own)
        kind.estimator.set_params(n_jobs=options.n_jobs, random_state=options.random_state)
        if kind.in_parts:
            self._parts = kind.parts()
            kind.digests += self._parts.sources
        journal = self._journal()
        try:
            with journal_kept(journal):
                checked = None if options.cv is None else self._cross_validated(options.cv, journal)
                estimator, tuned = self._tuned(journal) if options.tune else (kind.estimator, None)
                if not options.cv_only:
                    self._fit(estimator)
        except KeyboardInterrupt:
            self._say_how_to_go_on(journal)
            raise
        except InputError:
            if kind.in_parts and journal is not None and not journal.is_empty:
                journal.write()  # a cluster that went away may come back
            raise
        summary = self._written(estimator, tuned)
        if journal is not None:
            journal.remove()
        if not options.as_json:
            if checked is not None:
                print_cross_validation(checked)
            if tuned is not None:
                print_tuning(tuned)
        else:
            summary |= {} if checked is None else {"cross_validation": checked}
            summary |= {} if tuned is None else {"tuning": tuned}
        timed = {**summary, "seconds": round(time.perf_counter() - began, 3)}
        if options.output is not None and not options.cv_only:
            timed["model_bytes"] = options.output.stat().st_size
        if options.as_json or not options.cv_only:
            print_summary(timed, options.as_json)

    # ------------------------------------------------------------------ steps

    def _check(self, own: Mapping[str, Any]) -> None:
        options, file = self.options, own["file"]
        if options.cv_only and options.cv is None:
            raise InputError("--cv-only given without --cv; add the number of folds, such as --cv 5.")
        if options.output is None and not options.cv_only:
            raise InputError("-o is missing; give the model file to write, such as -o model.weft, or --cv-only.")
        if options.budget is not None:
            from weft.kinds.halving import seconds_of

            if options.tune is not Tuning.AUTO:
                raise InputError("--budget given without --tune auto, which it is for; add that, or leave it out.")
            seconds_of(options.budget)
        if options.resume and options.output is None:
            raise InputError("--resume given without -o; give the model file of the run that was interrupted.")
        # A model that is trained again, with the settings it keeps, may take its own place.
        config = options.config if options.config is not None and not is_model(options.config) else None
        if options.places.asked_for:
            options.places.check(file, cv=options.cv, tune=options.tune)
        inputs = (options.dev, config, *(own[key] for key in READ if not isinstance(own.get(key), StrEnum | None)))
        written = (options.output, options.save_config, *(own.get(key) for key in WRITTEN))
        for path in filter(None, written):
            check_target(path, *inputs)
        if self._journal_path is not None:
            refuse_own_input(self._journal_path, *inputs)
        refuse_one_file_for_two((*written, self._journal_path))

    @property
    def _journal_path(self) -> Path | None:
        return None if self.options.output is None else Path(f"{self.options.output}.checkpoint")

    def _journal(self) -> Journal | None:
        """Where the run notes how far it came; None where there is no model to put it beside."""
        from weft.checkpoint import Journal

        path = self._journal_path
        if path is None:
            return None
        mark = self._mark()  # now: tuning will change the settings
        journal = Journal(path, lambda: mark, resume=self.options.resume, check=check_interrupt)
        if self.options.resume and not journal.resumed:
            print(f"weft: there is no {path} to continue from; starting at the beginning.", file=sys.stderr)
        return journal

    def _mark(self) -> str:
        """Marks data and options, so that no run goes on from another one's state."""
        # A cluster may have another address when a run goes on, but steps of a learner go on as they began.
        own = {key: value for key, value in self.settings.items() if key not in ("n-jobs", "output", *OPTIONS)}
        own |= {
            "weft": __version__,
            "tune": self.options.tune,
            "cv": self.options.cv,
            "n": len(self.kind.examples),
            "data": self.kind.digests,
            "parts": self.kind.in_parts,
        }
        return hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()

    def _cross_validated(self, n_folds: int, journal: Journal | None) -> dict[str, Any]:
        with progress_line() as progress:

            def fit(numbers: Sequence[int], name: str) -> Any:
                estimator = self.kind.estimator
                if self.options.tune:  # inside each fold, which must not see what it is scored on
                    estimator, _ = self._chosen(numbers=numbers, name=name, journal=journal)
                return fit_quietly(self.kind, estimator, numbers)

            return cross_validate(self.kind, n_folds, self.options.random_state, fit, journal, progress)

    def _tuned(self, journal: Journal | None) -> tuple[Any, dict[str, Any] | None]:
        if self.options.cv_only:
            return self.kind.estimator, None
        with progress_line() as progress:
            estimator, report = self._chosen(journal=journal, progress=progress)
        self.settings |= report["chosen"]
        return estimator, report

    def _chosen(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        seed = self.options.random_state
        if self.options.tune is Tuning.GRID:
            return tune(self.kind, self.given, seed, **options)
        from weft.kinds.halving import DEFAULT_BUDGET, seconds_of, tune_within

        budget = seconds_of(self.options.budget or DEFAULT_BUDGET)
        return tune_within(self.kind, self.possible, self.given, seed, budget, **options)

    def _fit(self, estimator: Any) -> None:
        n_examples = len(self.kind.examples)
        has_bar = "verbose" in estimator.get_params(deep=False)
        if has_bar:
            estimator.set_params(verbose=int(is_watched()))
        line = nullcontext() if has_bar else status(f"learning from {n_examples:,} {self.kind.one}s")
        with printed_warnings(), line:
            if self.kind.in_parts:
                self._fit_parts(estimator)
            else:
                fit_located(self.kind, estimator, range(n_examples))
        if has_bar:
            estimator.set_params(verbose=0)

    def _fit_parts(self, estimator: Any) -> None:
        dev = self.kind.dev
        scored = {} if dev is None else self.kind.scored_on(dev)
        with self.options.places.opened() as places:
            estimator.fit(self._parts, **scored, **places)
        check_interrupt()

    def _written(self, estimator: Any, tuned: dict[str, Any] | None) -> dict[str, Any]:
        """Save the model and what belongs to it; what there is to tell."""
        from weft.model_file import save

        options, kind = self.options, self.kind
        if options.save_config is not None:
            with line_writer(str(options.save_config)) as write:
                write([to_toml(self.settings).removesuffix("\n")])
        if options.output is None or options.cv_only:
            return {}
        # Threads and places change nothing that is learned.
        settings = {key: value for key, value in self.settings.items() if key not in ("n-jobs", *OPTIONS)}
        n_examples = estimator._n_examples if kind.in_parts else len(kind.examples)
        notes = {**kind.notes, "n_examples": n_examples, RUN: settings}
        if tuned is not None:
            notes["tuning"] = tuned
        save(estimator, options.output, notes=notes)
        kind.write_more(estimator)
        summary = {"model": str(options.output), **kind.training_facts(estimator)}
        if kind.in_parts and n_examples != len(kind.examples):  # what is in memory is a part of the data
            summary[f"{kind.one}s"] = n_examples
            summary.pop("tokens", None)
        if kind.dev is not None:
            summary["held_out"] = kind.scores(estimator, kind.dev)
        return summary

    def _say_how_to_go_on(self, journal: Journal | None) -> None:
        model = self.options.output
        if model is None:
            return
        state = "is as it was" if model.exists() else "has not been written"
        rest = (
            "no progress had been saved yet, so start again without --resume"
            if journal is None or journal.is_empty
            else "the same command with --resume continues"
        )
        print(f"weft: interrupted; {model} {state}; {rest}.", file=sys.stderr)


def to_toml(settings: Mapping[str, Any]) -> str:
    r"""Settings as text.

    Examples
    --------
    >>> print(to_toml({"file": "words \"a\".tsv", "c2": 0.1, "alpha": [1.0, 10.0], "tags": False}).split("\n", 1)[1])
    file = "words \"a\".tsv"
    c2 = 0.1
    alpha = [1.0, 10.0]
    tags = false
    <BLANKLINE>
    """
    # Text, numbers, lists and truth values of JSON are those of TOML, but for the character that it must escape.
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f") for key, value in settings.items()
    ]
    return "\n".join([f"# weft {__version__}; run it again with: weft train --config THIS_FILE", *lines, ""])
