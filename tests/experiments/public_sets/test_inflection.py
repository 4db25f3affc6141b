"""The experiments on inflection run, in small."""

import pytest

from weft.datasets import load_inflection_sigmorphon2017
from weft.experiments.public_sets.inflection import BASELINE
from weft.experiments.registry import run_experiment

pytestmark = pytest.mark.needs_data("inflection_sigmorphon2017")


def test_the_parts_are_those_of_the_task():
    low, test = (load_inflection_sigmorphon2017("navajo", part) for part in ("train-low", "test"))
    assert (len(low.lemmas), len(test.forms)) == (100, 1000)
    assert {round(sum(each.values()) / 9, 1) for each in BASELINE.values()} == {61.8, 36.2}


def test_inflection_in_small():
    report = run_experiment("inflection-low", quick=True)
    assert report.find("low, mean", "weft").mean > 20.0
