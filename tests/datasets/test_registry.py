import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from weft import datasets
from weft.datasets.registry import file_path, load_arrays
from weft.errors import InputError, MissingDataError


@pytest.mark.parametrize("name", datasets.DATASETS)
def test_without_the_variable_the_error_names_source_and_layout(name, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    with pytest.raises(MissingDataError) as caught:
        datasets.folder(name)
    message = str(caught.value)
    dataset = datasets.DATASETS[name]
    for part in ("WEFT_DATA is not set", dataset.source, f"{name}/{dataset.files[0]}", dataset.layout):
        assert part in message
    assert "\n" not in message


def test_an_incomplete_folder_names_what_it_lacks(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    (tmp_path / "conll2000").mkdir()
    (tmp_path / "conll2000" / "test.tsv.gz").touch()
    with pytest.raises(MissingDataError, match=r"conll2000 lacks train\.tsv\.gz;"):
        datasets.load_conll2000()
    assert not any(datasets.available().values())


def test_a_complete_folder_is_available(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    (tmp_path / "usps").mkdir()
    np.savez(tmp_path / "usps" / "usps.npz", scale=1000)
    assert datasets.folder("usps") == tmp_path / "usps"
    assert [name for name, there in datasets.available().items() if there] == ["usps"]
    assert file_path("usps", "usps.npz").is_file()
    with pytest.raises(InputError, match=r"usps\.npz: .*X_train"):
        datasets.load_usps()


def test_broken_arrays_are_an_input_error(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    (tmp_path / "usps").mkdir()
    for content in (b"", b"PK\x03\x04 cut", b"\x80\x04 pickled"):
        (tmp_path / "usps" / "usps.npz").write_bytes(content)
        with pytest.raises(InputError, match="get it again"):
            load_arrays("usps", "usps.npz", ["X_train"])


@pytest.mark.parametrize(
    "load",
    [
        lambda: datasets.folder("penn"),
        lambda: datasets.load_conll2000("dev"),
        lambda: datasets.load_conll2002_es("test"),
        lambda: datasets.load_g2p_cmudict("dev"),
        lambda: datasets.load_g2p_sigmorphon2021("deu"),
        lambda: datasets.load_g2p_sigmorphon2021("fre", "testa"),
        lambda: datasets.load_fastsk("dna_none"),
        lambda: datasets.load_reuters21578("dev"),
        lambda: datasets.rfam_seed_path("1.0"),
    ],
)
def test_unknown_choices_list_the_known_ones(load):
    with pytest.raises(InputError, match="is not known; choose one of"):
        load()


def test_a_run_without_data_skips_with_the_reason_and_says_what_it_had(tmp_path):
    """The conftest of the whole suite, on a suite of one test."""
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(
        "import pytest\n\n@pytest.mark.needs_data('usps')\ndef test_one():\n    assert False\n",
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-rs",
        "--strict-markers",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
    ]
    run = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(tmp_path)],
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "WEFT_DATA"},
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 skipped" in run.stdout
    assert datasets.DATASETS["usps"].source in run.stdout
    assert "data sets had: none" in run.stdout
    assert "data sets missing: conll2000" in run.stdout
