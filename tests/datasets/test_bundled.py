"""The bundled lexicon: what it holds, its notice, and that a wheel takes both along."""

import gzip
import tomllib
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path

from weft.datasets import load_lexicon

ROOT = Path(__file__).parents[2]
FOLDER = files("weft.datasets").joinpath("lexicon")


def test_every_word_has_pronunciations():
    lexicon = load_lexicon()
    assert len(set(lexicon.inputs)) == len(lexicon.inputs) == 5500
    assert all(word.islower() for word in lexicon.inputs)
    phones = {phone for outputs in lexicon.references for output in outputs for phone in output}
    assert len(phones) == 39  # of the CMU dictionary, stress left out
    assert all(output for outputs in lexicon.references for output in outputs)
    assert max(map(len, lexicon.references)) > 1


def test_the_notice_stands_beside_the_words():
    notice = FOLDER.joinpath("NOTICE.txt").read_text()
    assert "Carnegie Mellon University" in notice
    assert "must retain the above copyright" in notice
    with FOLDER.joinpath("english.tsv.gz").open("rb") as raw:
        assert len(gzip.decompress(raw.read()).splitlines()) == 5500


def test_a_wheel_takes_them_along():
    """The build takes every file of the package that is not ignored."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["src/weft"]
    assert not {"exclude", "only-include", "artifacts"} & set(wheel)
    ignored = [line for line in (ROOT / ".gitignore").read_text().splitlines() if line and not line.startswith("#")]
    for name in ("NOTICE.txt", "english.tsv.gz"):
        path = f"src/weft/datasets/lexicon/{name}"
        assert (ROOT / path).is_file()
        assert not any(fnmatch(part, rule.strip("/")) for rule in ignored for part in (path, *path.split("/")))
