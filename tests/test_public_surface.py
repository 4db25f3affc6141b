"""What `import weft` promises."""

import importlib
import subprocess
import sys

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


def test_every_class_of_the_model_file_is_where_its_table_says():
    own = [place for place in model_file.CLASSES.values() if place.startswith("weft.")]
    assert len(own) == len(model_file.CLASSES) > 0
    for place in own:
        module, _, name = place.partition(":")
        kind = getattr(importlib.import_module(module), name)
        assert f"{kind.__module__}:{kind.__qualname__}" == place
