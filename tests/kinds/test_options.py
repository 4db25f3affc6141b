"""Defaults of the command line: read from the estimators, or in one table that a page shows."""

import inspect
from pathlib import Path

import pytest

import weft
from weft.apps.train import _Commands
from weft.kinds import COMMANDS, kind_of_command
from weft.kinds.options import LEARNERS, OWN, default_of, make_learner
from weft.kinds.parted import OPTIONS

TRAIN = _Commands()
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "command-line.md"


@pytest.mark.parametrize("name", [*LEARNERS.values(), "Tagger", "Aligner", "Folder", "Rewriter", "SequenceSVC"])
def test_defaults_are_those_of_the_signature(name):
    for parameter in inspect.signature(getattr(weft, name)).parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            assert default_of(name, parameter.name) == parameter.default


def test_every_default_of_its_own_is_on_the_page_with_its_reason():
    text = PAGE.read_text(encoding="utf-8")
    missing = [
        option for option, own in OWN.items() if f"| `{option}` | " not in text or f" | {own.reason} |" not in text
    ]
    assert missing == []


@pytest.mark.parametrize("command", COMMANDS)
def test_options_that_an_estimator_has_default_to_its_own(command):
    """An option whose name is a parameter of the estimator has its default, unless the table says otherwise."""
    kind = kind_of_command(command)
    estimator = getattr(weft, COMMANDS[command][1][0])
    theirs = inspect.signature(estimator).parameters
    for name, option in inspect.signature(kind.recipe().prepare).parameters.items():
        known = theirs.get(name)
        if known is None or name in ("grammar", "kernel", "learner", "features", "constraints", "language_model"):
            continue
        if f"{command} --{name.replace('_', '-')}" not in OWN:
            assert option.default == known.default, name


FILES = {
    "format",
    "columns",
    "group",
    "output",
    "cv",
    "cv-only",
    "dev",
    "tune",
    "budget",
    "config",
    "save-config",
    "resume",
    "json",
    "help",
    *OPTIONS,
}
COMMAND_LINE = {
    "tag": {"twice"},  # a class of its own, StackedTagger
    # tags are an argument of fit; max_chunk has two numbers; lists of symbols, or strings, need no units.
    "rewrite": {"tags", "max-output", "input-units", "output-units"},
    "align": {"plot"},
    "classify": {"units", "words", "normalize", "balanced", "matrix-rows"},  # balanced is class_weight="balanced"
    "regress": {"units"},
}
"""Options that no parameter stands for."""


@pytest.mark.parametrize("command", COMMANDS)
def test_options_have_the_names_of_parameters(command):
    kernels = [name for name in weft.__all__ if name.endswith("Kernel")]
    parts = ("WindowFeatures", "WordClasses", "RecurrentNetwork")
    classes = (COMMANDS[command][1][0], *LEARNERS.values(), *parts, *kernels)
    known = {key for name in classes for key in inspect.signature(getattr(weft, name)).parameters}
    options = {
        each.opts[0].removeprefix("--") for each in TRAIN[command].params if each.param_type_name == "option"
    } - FILES
    assert "random-state" in options
    assert {each for each in options if each.replace("-", "_") not in known} == COMMAND_LINE.get(command, set())


def test_learners_refuse_what_they_do_not_have():
    assert make_learner("crf", {"c2": 0.3}, c2=None).c2 == 0.3
    assert make_learner("crf", {"c2": 0.3}, c2=2.0).c2 == 2.0
    with pytest.raises(weft.InputError, match="--alpha given with --learner crf"):
        make_learner("crf", alpha=0.1)
