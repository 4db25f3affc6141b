"""The files of a release: built, looked into, summed up."""

from __future__ import annotations

import email
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

MOST_BYTES = 12_000_000
"""A wheel with its models is smaller."""

WANTED = (
    "weft/py.typed",
    "weft/models/pronounce-en.weft",
    "weft/serve/page/index.html",
    "weft/reports/templates/page.html",
)
IN_SOURCE = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "Makefile",
    "src/weft/__init__.py",
    "tests/conftest.py",
    "docs/conf.py",
    "benchmarks/__main__.py",
    "release/smoke.py",
)
SUFFIXES = {".py", ".typed", ".html", ".css", ".js", ".svg", ".json", ".weft", ".txt", ".gz"}
SMALL = 100_000
"""Only models are larger: data sets are not part of a wheel."""


def run(*command: str | Path, **options: object) -> None:
    """Run a command; stop the release with its output if it fails."""
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        shown = " ".join(map(str, command))
        raise SystemExit(f"release: {shown} ended with {done.returncode}\n{done.stdout}{done.stderr}")


def build(tree: Path, target: Path, seconds: int) -> tuple[Path, Path]:
    """Wheel and source archive of a tree; the wheel is built from the archive. `seconds` is the time that files get."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds)}
    run(sys.executable, "-m", "build", "--outdir", target, tree, env=environment)
    return next(target.glob("*.whl")), next(target.glob("*.tar.gz"))


def check_wheel(wheel: Path, version: str) -> dict[str, int]:
    """Hold a wheel to what it may and must have; number and bytes of its files."""
    size = wheel.stat().st_size
    _must(size < MOST_BYTES, f"{wheel.name} has {size:,} bytes; fewer than {MOST_BYTES:,} are needed")
    with zipfile.ZipFile(wheel) as archive:
        entries = {each.filename: each.file_size for each in archive.infolist()}
        facts = email.message_from_bytes(archive.read(f"weft-{version}.dist-info/METADATA"))
        entry_points = archive.read(f"weft-{version}.dist-info/entry_points.txt").decode()
    for name, n_bytes in entries.items():
        path = PurePosixPath(name)
        _must(path.parts[0] in ("weft", f"weft-{version}.dist-info"), f"{wheel.name} has {name}, outside the package")
        if path.parts[0] == "weft":
            _must(path.suffix in SUFFIXES, f"{wheel.name} has {name}, a kind of file that does not belong there")
            _must(not re.match(r"tests?$|test_|conftest", path.parts[-2]), f"{wheel.name} has {name}, of a test")
            _must(not re.match(r"test_|conftest", path.name), f"{wheel.name} has {name}, a test")
            small = n_bytes <= SMALL or path.suffix == ".weft"
            _must(small, f"{wheel.name} has {name} of {n_bytes:,} bytes; data do not belong there")
    missing = [name for name in WANTED if name not in entries]
    _must(not missing, f"{wheel.name} lacks {', '.join(missing)}")
    _must(
        facts["Name"] == "weft" and facts["Version"] == version, f"{wheel.name} says {facts['Name']} {facts['Version']}"
    )
    _must(
        bool(facts["Requires-Python"]) and facts["License-Expression"] == "BSD-3-Clause", "Python or licence is missing"
    )
    needed = [each for each in facts.get_all("Requires-Dist", []) if "extra ==" not in each]
    _must(not any("@" in each for each in needed), f"{wheel.name} needs packages by address: {needed}")
    _must("weft = weft.__main__:main" in entry_points, f"{wheel.name} has no command weft")
    return {"files": len(entries), "bytes": size}


def check_source(archive: Path, version: str) -> dict[str, int]:
    """A source archive has the whole tree in one folder: its tests run and its pages build."""
    with tarfile.open(archive) as opened:
        names = opened.getnames()
    folder = f"weft-{version}/"
    _must(all(name.startswith(folder) for name in names), f"{archive.name} has files outside of {folder}")
    for name in IN_SOURCE:
        _must(folder + name in names, f"{archive.name} lacks {name}")
    fragments = [name for name in names if re.fullmatch(rf"{folder}changes/\d.*\.md", name)]
    _must(not fragments, f"{archive.name} has {len(fragments)} news fragments, which CHANGELOG.md should have by now")
    return {"files": len(names), "bytes": archive.stat().st_size}


def check_texts(*files: Path) -> None:
    """Metadata and README as a package index shows them."""
    run(sys.executable, "-m", "twine", "check", "--strict", *files)


def write_bill(python: Path, target: Path, seconds: int) -> None:
    """All packages of an environment with their versions and licences, as CycloneDX."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds)}
    command = (sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--of", "JSON")
    run(*command, "-o", target, python, env=environment)


def write_sums(folder: Path) -> Path:
    """SHA-256 of every file, as ``sha256sum --check`` reads them."""
    sums = folder / "SHA256SUMS"
    files = sorted(path for path in folder.iterdir() if path != sums)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    sums.write_text("".join(lines), encoding="utf-8")
    return sums


def _must(holds: bool, message: str) -> None:
    if not holds:
        raise SystemExit(f"release: {message}")
