"""Types of the public interface: as few bare `Any` as there are things without a type, and a user who checks theirs."""

import inspect
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import weft

ROOT = Path(__file__).parents[1]
USER = ROOT / "tests" / "typed_user"

# Bare `Any` of public signatures, and why there is no better type. ** arguments are handed on and not looked at here.
NO_TYPE = {
    "load()": "an estimator of whatever class the file holds",
    "as_json()": "what json.dumps takes",
    "from_openfst(machine)": "OpenFst has no types",
    "Parameters.get_metadata_routing()": "scikit-learn has no types",
    "Transformer.fit_transform()": "what `transform` of a subclass gives",
    "Learner.extend(chain)": "learners may not know structures",
    "Learner.extend()": "learners may not know structures",
    "Examples.from_bag(bag)": "Dask has no types",
    "predict(X)": "Dask has no types",
    "predict()": "Dask has no types",
    "GraphStructure.compile(x)": "inputs and outputs of a structure are its own",
    "GraphStructure.part_features(x)": "inputs and outputs of a structure are its own",
    "GraphStructure.encode(x)": "inputs and outputs of a structure are its own",
    "GraphStructure.encode(y)": "inputs and outputs of a structure are its own",
    "GraphStructure.decode(x)": "inputs and outputs of a structure are its own",
    "GraphStructure.decode()": "inputs and outputs of a structure are its own",
    "inside(semiring)": "compiled code chooses by it",
    "outside(semiring)": "compiled code chooses by it",
    "posterior(semiring)": "compiled code chooses by it",
    "traceback(semiring)": "compiled code chooses by it",
    "checked_step(tables)": "compiled code",
    "checked_step(state)": "compiled code",
    "checked_step(symbol)": "compiled code",
    "checked_step()": "compiled code",
}


def public_functions():
    """Functions and methods that the public names have."""
    folders = [getattr(weft, name) for name in weft._FOLDERS]
    for public in [getattr(each, name) for each in (weft, *folders) for name in each.__all__]:
        if not inspect.isclass(public):
            yield getattr(public, "py_func", public)
            continue
        for name in dir(public):
            if not name.startswith("_") or name in ("__init__", "__call__", "__getitem__", "__iter__"):
                found = inspect.getattr_static(public, name)
                yield getattr(found, "__func__", getattr(found, "fget", found))


def test_signatures_have_types_where_types_exist():
    bare, missing = set(), set()
    for function in public_functions():
        if not inspect.isfunction(function) or not function.__module__.startswith("weft"):
            continue
        signature = inspect.signature(function)
        given = {f"({name})": each.annotation for name, each in signature.parameters.items()
                 if each.kind is not each.VAR_KEYWORD and name not in ("self", "cls")}  # fmt: skip
        for place, annotation in {**given, "()": signature.return_annotation}.items():
            if annotation is inspect.Signature.empty:
                missing.add(function.__qualname__ + place)
            elif re.fullmatch(r"Any( \| None)?", str(annotation)):
                bare.add(function.__qualname__ + place)
    assert missing == set()
    assert bare == set(NO_TYPE)


def wrong_lines():
    lines = (USER / "wrong.py").read_text(encoding="utf-8").splitlines()
    found = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(found) > 10
    return found


def complaints(output):
    """Lines of each file that a checker names."""
    found = {"right.py": set(), "wrong.py": set()}
    for name, line in re.findall(r"(\w+\.py):(\d+)(?::\d+ -|:) error", output):
        found[name].add(int(line))
    return found


def test_a_user_in_strict_mode_of_mypy(tmp_path):
    # In a folder of its own, where no settings of ours count; the cache is kept, for reading weft takes a while.
    copied = shutil.copytree(USER, tmp_path / "user")
    settings = ["--strict", "--ignore-missing-imports", "--cache-dir", str(ROOT / ".cache" / "mypy-user")]
    command = [sys.executable, "-m", "mypy", *settings, "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=copied, capture_output=True, text=True, check=False)
    assert complaints(done.stdout) == {"right.py": set(), "wrong.py": wrong_lines()}, done.stdout + done.stderr


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed; pip install 'pyright[nodejs]'")
def test_a_user_in_strict_mode_of_pyright(tmp_path):
    copied = shutil.copytree(USER, tmp_path / "user")
    (copied / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "reportMissingTypeStubs": false}')
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=copied, capture_output=True, text=True, check=False)
    assert complaints(done.stdout) == {"right.py": set(), "wrong.py": wrong_lines()}, done.stdout + done.stderr
