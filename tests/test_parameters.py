"""Whoever only predicts never imports scikit-learn."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from fuzzing.model_zoo import ZOO

PREDICT = """
import sys, pathlib
sys.modules["sklearn"] = None  # whoever imports it fails, and the traceback says who
from fuzzing.model_zoo import ZOO, answers
import pytest

import weft
for number, animal in enumerate(ZOO.values()):
    answers(animal, weft.load(pathlib.Path(sys.argv[1]) / f"{number}.weft"))
assert sys.modules["sklearn"] is None
print(number + 1)
"""


def test_no_estimator_imports_scikit_learn_to_predict(tmp_path):
    for number, animal in enumerate(ZOO.values()):
        weft.save(animal.make(), tmp_path / f"{number}.weft")
    program = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{PREDICT}"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(ZOO)


FRESH = """
import json, sys
import numba
its_own = set(sys.modules)
import pytest

import weft
weft.load(sys.argv[1]).predict(json.loads(sys.argv[2]))
unwanted = {"joblib", "rich", "sklearn", "scipy.linalg", "scipy.sparse", "scipy.optimize", "numba.np.arrayobj"}
print(*(unwanted - its_own) & set(sys.modules))
"""


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        (ZOO["tagger"].make, [["the", "man"]]),
        (ZOO["classifier"].make, ["abcd"]),
        (ZOO["rewriter"].make, ["phonet"]),
        (weft.Folder.from_energies, ["GGGAAAACCC"]),
        (ZOO["parser"].make, [["d", "n", "v"]]),
    ],
    ids=["tagger", "classifier", "rewriter", "folder", "parser"],
)
def test_a_fresh_process_loads_nothing_that_only_training_or_compiling_needs(model, asked, tmp_path):
    made = model()
    made.predict(asked)  # compiled by now, and kept
    weft.save(made, tmp_path / "model.weft")
    program = [sys.executable, "-c", FRESH, tmp_path / "model.weft", json.dumps(asked)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == ([], "")


COMMANDS = """
import sys
sys.modules["sklearn"] = None
from weft.apps.cli import app
for name in sys.argv[2:]:
    app(["predict", f"{sys.argv[1]}/{name}.weft", f"{sys.argv[1]}/{name}.txt", "--confidence"], standalone_mode=False)
"""


def test_the_command_does_not_import_scikit_learn_to_predict(tmp_path):
    asked = {
        "tagger": "the man\n",
        "aligner": "a\tb\tVLAD\tVHEEK\n",
        "folder": "GGGAAAACCC\n",
        "parser": "d n v\n",
        "rewriter": "phonet\n",
        "calibrated classifier": "abcd\n",
        "regressor": "24.1.2010\n",
    }
    for name, line in asked.items():
        weft.save(ZOO[name].make(), tmp_path / f"{name}.weft")
        (tmp_path / f"{name}.txt").write_text(line, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", COMMANDS, str(tmp_path), *asked], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= len(asked)


def test_the_demo_answers_without_scikit_learn(tmp_path):
    program = (
        "import sys\nsys.modules['sklearn'] = None\nfrom weft.apps import demo_answers, demo_words\n"
        "demo_words.introduce(demo_words.make_data(0))\n"
        "demo_answers.answer()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert '"W", "EH", "F", "T"' in done.stdout
