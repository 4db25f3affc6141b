"""Run by the Python of an empty environment, away from the tree: every public name, a fit, a file, bundled models."""

import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path

import weft

wanted = sys.argv[1]
assert weft.__version__ == wanted, f"weft says {weft.__version__}, not {wanted}"
assert "site-packages" in weft.__file__, f"weft came from {weft.__file__}"
for name in weft.__all__:
    getattr(weft, name)
# Whatever is missing belongs to an extra: what the package always needs is declared.
EXTRAS = {"matplotlib", "starlette", "uvicorn", "httptools", "msgspec", "prometheus_client", "dask", "distributed"}
FOR_TESTS = {"hypothesis", "pycrfsuite", "psutil"}
for module in pkgutil.walk_packages(weft.__path__, "weft.", onerror=lambda name: None):
    if module.name != "weft.__main__":
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] not in EXTRAS | FOR_TESTS:
                raise

X, y = [["the", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]]
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tagger.weft"
    weft.save(weft.Tagger().fit(X, y), path)
    assert weft.load(path).predict([["the", "dog"]]) == [["D", "N"]]
assert weft.load("pronounce-en").predict(["weft"]) == [["W", "EH", "F", "T"]]
assert weft.load("fold-rna").predict(["GGGGAAAACCCC"]) == ["((((....))))"]
assert len(weft.load("align-protein").predict([("VLSPADK", "VLTPEEK")])) == 1
print("weft", weft.__version__, "on Python", sys.version.split()[0])
