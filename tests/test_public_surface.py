"""What `import weft` promises."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import weft
from weft import model_file


@pytest.mark.parametrize("name", weft.__all__)
def test_every_public_name_resolves_and_is_documented(name):
    public = getattr(weft, name)
    assert public.__doc__
    assert name in dir(weft)


def test_the_names_are_complete():
    assert sorted(weft.__all__) == sorted(weft._EXPORTS)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'weft' has no attribute 'Taggr'"):
        _ = weft.Taggr


def test_the_names_shown_are_the_public_ones():
    assert [name for name in dir(weft) if name.startswith("_")] == ["__version__"]
    assert set(dir(weft)) == {*weft.__all__, *weft._FOLDERS, "__version__"}


def test_public_folders_are_attributes_from_the_start():
    code = "import weft; assert all(getattr(weft, name).__all__ for name in weft._FOLDERS)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_loads_nothing_heavy():
    code = (
        "import sys, weft; heavy = {'numba', 'sklearn', 'matplotlib', 'scipy', 'numpy'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_whatever_is_imported_is_a_dependency():
    root = Path(weft.__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    known = {re.split(r"[>=;\[]", each)[0].lower() for each in wanted} | {"weft", *sys.stdlib_module_names}
    found = set()
    for path in (root / "src" / "weft").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module)
    names = {
        {
            "sklearn": "scikit-learn",
            "Bio": "biopython",
            "pycrfsuite": "python-crfsuite",
            "prometheus_client": "prometheus-client",
        }.get(name, name)
        for name in (each.split(".")[0] for each in found)
    }
    assert names - known == set()


def test_every_class_of_the_model_file_is_where_its_table_says():
    own = [place for place in model_file.CLASSES.values() if place.startswith("weft.")]
    assert len(own) == len(model_file.CLASSES) > 0
    for place in own:
        module, _, name = place.partition(":")
        kind = getattr(importlib.import_module(module), name)
        assert f"{kind.__module__}:{kind.__qualname__}" == place


FOLDERS = ("weft", *(f"weft.{name}" for name in weft._FOLDERS))
GONE = {"unseen", "impossible", "on_conflict", "seed", "joint_order", "orders", "held_out", "jobs"}
"""Words that the vocabulary has another word for."""
ONLY = {
    "order": {
        "Tagger",
        "Chain",
        "Spectral",
        "SpectralTagger",
        "StackedTagger",
        "InputOutputOOM",
    },  # earlier labels; bi-symbols of a window
    "width": {
        "WindowFeatures",
        "AlignmentDisplay",
        "LocalityImprovedKernel",
    },  # of a window, of lines; of a search it is beam_width
    "constraints": {"Tagger", "SpectralTagger", "StackedTagger", "forbidden_labels"},  # on labels
}
"""Words that mean one thing, and who has it."""


def named(called):
    """Names of the parameters of a class or function; exceptions have none."""
    try:
        return list(inspect.signature(called).parameters)
    except ValueError:
        return []


def parameters():
    """Owner and name of each parameter of each public class, method and function."""
    for folder in FOLDERS:
        module = importlib.import_module(folder)
        for name in module.__all__:
            public = getattr(module, name)
            methods = [each for key, each in vars(public).items() if key[0] != "_"] if inspect.isclass(public) else []
            for each in (public, *methods):
                called = getattr(each, "__func__", each)
                if inspect.isclass(called) or inspect.isfunction(called):
                    yield from ((name, key) for key in named(called))


def test_a_word_means_one_thing():
    found = set(parameters())
    assert len(found) > 400
    assert {each for each in found if each[1] in GONE} == set()
    for word, owners in ONLY.items():
        assert {owner for owner, key in found if key == word} == owners, word


@pytest.mark.parametrize("name", [name for name in weft.__all__ if inspect.isclass(getattr(weft, name))])
def test_random_state_n_jobs_and_verbose_come_last_in_this_order(name):
    keys = [
        key for key in named(getattr(weft, name)) if (name, key) != ("Rewriter", "random_state")
    ]  # is in fifth place
    last = [key for key in ("random_state", "n_jobs", "verbose") if key in keys]
    assert keys[len(keys) - len(last) :] == last
