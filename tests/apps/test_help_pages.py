"""What a newcomer sees first: help pages, completion, and how little is loaded for them."""

import json
import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from weft.apps.cli import ORDER, app

TRAININGS = ("tag", "rewrite", "align", "fold", "parse", "classify", "regress")
PAGES = [(), ("train",), *((name,) for name in ORDER if name != "train"), *(("train", name) for name in TRAININGS)]
HEAVY = "numpy scipy sklearn numba joblib matplotlib safetensors pandas dask clarabel weft.metrics weft.checkpoint"


def page(*command):
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80", "TERM": "dumb"})
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_every_page_fits_the_terminal_and_has_an_example(command):
    text = page(*command)
    assert max(map(len, text.splitlines())) <= 80
    assert "<bool>" not in text
    assert "…" not in text  # no name is cut
    # The first line is the usage; an example names the whole command once more.
    assert len(re.findall(rf"{' '.join(['weft', *command])}\b", " ".join(text.split()))) >= 2


@pytest.mark.parametrize("name", TRAININGS)
def test_all_trainings_have_the_same_options(name):
    text = page("train", name)
    for option in (
        "--output",
        "--config",
        "--save-config",
        "--cv",
        "--cv-only",
        "--dev",
        "--tune",
        "--budget",
        "--resume",
    ):
        assert f" {option} " in text
    assert "--tune grid tries " in " ".join(text.split())
    for option in ("--random-state", "--n-jobs", "--json"):
        assert f" {option} " in text


def test_exit_codes_are_said():
    text = " ".join(page().split())
    assert all(f" {code} " in text for code in (0, 1, 2, 130, 141))
    assert "--install-completion" in text


def in_process(code, **environment):
    """Standard output of a fresh process."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    ).stdout


@pytest.mark.parametrize(
    ("code", "also_not"),
    [
        ("import weft", "typer rich"),
        ("import weft.apps.cli", "rich"),
        ("from weft.apps.cli import app; app(['--help'], standalone_mode=False)", ""),
        ("from weft.apps.cli import app; app(['train', 'tag', '--help'], standalone_mode=False)", ""),
        ("from weft.apps.cli import app; app(['demo', '--list'], standalone_mode=False)", "rich"),
        ("from weft.apps.cli import app; app(['reproduce', '--list', '--json'], standalone_mode=False)", "rich"),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code, also_not):
    told = f"\nimport sys; print(*({set((HEAVY + ' ' + also_not).split())!r} & sys.modules.keys()))"
    assert in_process(code + told).splitlines()[-1] == ""


def test_plots_are_loaded_when_they_are_drawn():
    code = (
        "import weft, sys; weft.Tagger, weft.Aligner, weft.Folder, weft.SequenceSVC; print('matplotlib' in sys.modules)"
    )
    assert in_process(code) == "False\n"


def test_the_shell_completes_commands_and_values():
    code = (
        "import sys; sys.argv = ['weft']\nfrom weft.apps.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'numpy', 'sklearn'} & sys.modules.keys())"
    )

    def completed(words):
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
        *found, loaded = in_process(code, _WEFT_COMPLETE="complete_bash", **asked).split("\n")[:-1]
        assert loaded == "set()"
        return found

    assert completed("weft tr") == ["train"]
    assert completed("weft train ") == list(TRAININGS)
    assert "generative" in completed("weft train fold --learner ")
    assert completed("weft demo fo") == ["fold"]


def test_lists_as_json():
    demos = json.loads(CliRunner().invoke(app, ["demo", "--list", "--json"]).stdout)
    assert {"name", "description"} == set(demos[0])
    experiments = json.loads(CliRunner().invoke(app, ["reproduce", "--list", "--json"]).stdout)
    assert any(each["data"] for each in experiments)
