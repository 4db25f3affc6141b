"""Ways to a cluster, and one line where there is none."""

import importlib.util
import json

import pytest

from weft.errors import InputError
from weft.scale.connect import connected


def test_one_way_is_wanted():
    with pytest.raises(InputError, match="0 ways"), connected():
        pass


def test_dask_may_be_missing(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "distributed" else find(name))
    with pytest.raises(InputError, match=r"Dask is not installed.*pip install 'weft\[dask\]'"), connected(workers=1):
        pass


def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("weft.scale.connect.CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(InputError, match=r"no scheduler answers at tcp://127\.0\.0\.1:1 "),
        connected(address="tcp://127.0.0.1:1"),
    ):
        pass
    with pytest.raises(InputError, match="there is no file"), connected(scheduler_file=tmp_path / "absent.json"):
        pass
    (tmp_path / "old.json").write_text(json.dumps({"address": "tcp://127.0.0.1:1"}))
    with (
        pytest.raises(InputError, match=r"no scheduler answers at .*old\.json"),
        connected(scheduler_file=tmp_path / "old.json"),
    ):
        pass
