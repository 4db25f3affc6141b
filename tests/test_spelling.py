"""Names that do not exist."""

import subprocess
import sys

import pytest

import weft
from weft.spelling import did_you_mean


@pytest.mark.parametrize(
    ("name", "meant"), [("Taggr", "Tagger"), ("tagger", "Tagger"), ("crf", "CRF"), ("Zebra", None), ("", None)]
)
def test_the_name_that_is_most_alike_is_meant(name, meant):
    assert did_you_mean(name, ["Aligner", "CRF", "Tagger"]) == meant


def test_of_names_that_differ_in_case_the_nearest_is_meant():
    assert did_you_mean("crf", ["CRF", "crf_"]) == "crf_"


@pytest.mark.parametrize(
    ("module", "name", "meant"),
    [("weft", "Taggr", "Tagger"), ("weft", "structure", "structures"), ("weft.structures", "Grammer", "Grammar"),
     ("weft.metrics", "chunk_f2", "chunk_f1"), ("weft.core", "argmx", "argmax")],
)  # fmt: skip
def test_modules_suggest_names(module, name, meant):
    place = weft if module == "weft" else getattr(weft, module.removeprefix("weft."))
    with pytest.raises(AttributeError) as caught:
        getattr(place, name)
    assert str(caught.value) == f"module {module!r} has no attribute {name!r}; did you mean {meant!r}?"


@pytest.mark.parametrize("name", ["zzzzz", "__wrapped__", "_EXPORT"])
def test_nothing_is_suggested_for_what_is_like_no_name_or_private(name):
    with pytest.raises(AttributeError) as caught:
        getattr(weft, name)
    assert str(caught.value) == f"module 'weft' has no attribute {name!r}"


def test_submodules_can_still_be_imported_from_a_folder_that_suggests():
    code = "from weft.structures import chain; from weft.metrics import tokens; from weft import learners"
    subprocess.run([sys.executable, "-c", code], check=True)
