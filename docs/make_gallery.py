"""Draw the pictures of `docs/gallery.md` into `docs/_static/gallery`: python docs/make_gallery.py [NAME]...

Displays need matplotlib; pages are looked at in a headless Chromium (`make browser`).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

import weft
from weft.apps.demo_align import REST
from weft.apps.demo_fold import TRNA, make_data
from weft.plotting import (
    AlignmentDisplay,
    BasePairDisplay,
    DeBruijnDisplay,
    RNAStructureDisplay,
    SubstitutionMatrixDisplay,
)

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "_static" / "gallery"
sys.path.insert(0, str(ROOT / "tests"))  # a browser and a server, as the tests have them


def keep(name: str, picture: bytes) -> None:
    """Write a picture with 256 colours, which make a small file."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(256).save(TARGET / f"{name}.png", optimize=True)


def trained_folder() -> Any:
    """A folder of the demo's made-up RNAs."""
    folds = make_data(seed=0)
    return weft.Folder("g6", decode="best", random_state=0).fit(folds.X_train, folds.y_train)


def structure() -> bytes:
    """A transfer RNA, folded."""
    return RNAStructureDisplay.from_estimator(trained_folder(), TRNA.sequence)._repr_png_()


def base_pairs() -> bytes:
    """The probabilities of all its base pairs, and the known structure."""
    return BasePairDisplay.from_estimator(trained_folder(), TRNA.sequence, TRNA.structure)._repr_png_()


def alignment() -> bytes:
    """Two globins, aligned."""
    pair = (REST[0].replace("-", ""), REST[1].replace("-", ""))
    return AlignmentDisplay.from_estimator(weft.load("align-protein"), pair, width=40)._repr_png_()


def matrix() -> bytes:
    """The scores behind it."""
    return SubstitutionMatrixDisplay.from_estimator(weft.load("align-protein"))._repr_png_()


def euler_path() -> bytes:
    """A string, read from the counts of its pairs of letters."""
    word = "abracadabra"
    counts = Counter(word[place : place + 2] for place in range(len(word) - 1))
    return DeBruijnDisplay.from_counts(counts, start="a")._repr_png_()


def seen(address: str, width: int, height: int, ready: str = "true") -> bytes:
    """A page in a browser, once an expression holds on it."""
    from chromium import Chromium, find_chromium
    from serving import wait_until

    path = find_chromium()
    if path is None:
        raise SystemExit("there is no Chromium; make browser installs one, where it can.")
    with Chromium(path) as browser:
        browser.show(address, width, "light", height)
        wait_until(lambda: browser.evaluate(ready))
        return browser.screenshot(whole=False)


def report() -> bytes:
    """A report of the demo's folder, on RNAs that it was not trained on."""
    with tempfile.TemporaryDirectory() as folder:
        for command in ("demo fold -o fold.weft", "report fold.weft fold-sample.dbn -o report.html"):
            asked = [sys.executable, "-m", "weft", *command.split()]
            subprocess.run(asked, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return seen((Path(folder) / "report.html").as_uri(), 1000, 900)


def server() -> bytes:
    """The page of a server, with two bundled models and an answer."""
    from serving import Server

    with Server("pronounce-en", "fold-rna") as running:
        address = f"{running.address}#model=pronounce-en&text=quibbleton"
        return seen(address, 1000, 880, "document.getElementById('told').textContent")


PICTURES: dict[str, Callable[[], bytes]] = {
    each.__name__: each for each in (structure, base_pairs, alignment, matrix, euler_path, report, server)
}


def main() -> None:
    """Draw all pictures, or those that are named."""
    TARGET.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        keep(name, PICTURES[name]())
        print(f"{name}.png")


if __name__ == "__main__":
    main()
