"""The experiments on pronunciation run, in small."""

import pytest

from weft.experiments.public_sets.sigmorphon import setting
from weft.experiments.registry import run_experiment


def test_settings_depend_on_the_amount_of_data():
    assert len({str(setting(level).get_params()) for level in ("low", "medium", "high")}) == 3


@pytest.mark.needs_data("g2p_sigmorphon2021")
@pytest.mark.slow
def test_sigmorphon_in_small():
    report = run_experiment("sigmorphon", quick=True)
    assert report.find("low, macro mean", "weft").mean < 70.0
