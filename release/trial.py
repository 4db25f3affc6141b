"""A wheel tried as a newcomer would: an empty environment, an empty folder, and the lines of the README."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from release.artefacts import run

SAMPLES, SMOKE = Path(__file__).with_name("samples"), Path(__file__).with_name("smoke.py")
CANDIDATES = ("python3.11", "python3.12", "python3.13", "python3.14")
NEEDS_EXTRAS = {"weft serve": "pip install 'weft[serve]'"}
"""Commands that say in one line what to install, where extras are missing."""


def pythons(given: list[str]) -> list[str]:
    """Those that run, of the given ones or of all versions that may be at hand."""
    found = [each for each in given or CANDIDATES if _runs(each)]
    missing = [each for each in given if each not in found]
    if missing or not found:
        raise SystemExit(f"release: {', '.join(missing or CANDIDATES)} did not run; name Pythons by --python.")
    return found


def _runs(python: str) -> bool:
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def readme_lines(readme: str) -> Iterator[str]:
    """The commands of weft that a README shows, without their comments."""
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", readme, re.DOTALL):
        for line in block.splitlines():
            command = line.removeprefix("$ ").split("#")[0].strip()
            if command.startswith("weft ") or "| weft " in command:
                yield command


def readme_python(readme: str) -> list[str]:
    """The Python that a README shows."""
    return re.findall(r"```python\n(.*?)```", readme, re.DOTALL)


def inside(folder: Path) -> Path:
    """The Python of the environment of a trial."""
    return folder / "environment" / "bin" / "python"


def install(python: str, wheel: Path, folder: Path) -> None:
    """An environment with the wheel and what it needs, without pip and without extras."""
    run(python, "-m", "venv", "--without-pip", folder / "environment")
    arguments = ("--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
    run(python, "-m", "pip", "--python", inside(folder), "install", *arguments, wheel)


def tried(python: str, wheel: Path, readme: str, version: str, folder: Path) -> list[str]:
    """Install the wheel for a Python and try it; what ran, and how long it took."""
    install(python, wheel, folder)
    lines = try_out(inside(folder), readme, version, folder / "away")
    return [f"{python}: installed without extras", *(f"  {line}" for line in lines)]


def try_out(python: Path, readme: str, version: str, folder: Path) -> Iterator[str]:
    """Run a smoke test and the lines of the README in a folder with samples; what ran, and how long it took."""
    shutil.copytree(SAMPLES, folder)
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "WEFT_DATA", "NUMBA_DISABLE_JIT")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
    environment["NUMBA_CACHE_DIR"] = str(folder / ".compiled")
    here = {"cwd": folder, "env": environment}
    yield _timed(here, str(python), "-I", str(SMOKE), version)
    for number, code in enumerate(readme_python(readme)):
        (folder / f"readme_{number}.py").write_text(code, encoding="utf-8")
        yield _timed(here, str(python), f"readme_{number}.py")
    for line in readme_lines(readme):
        wanted = next((message for command, message in NEEDS_EXTRAS.items() if line.startswith(command)), None)
        yield _timed(here, "sh", "-c", line, refusal=wanted)


def _timed(here: dict[str, object], *command: str, refusal: str | None = None) -> str:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, **here)  # type: ignore[call-overload]
    shown = command[-1] if command[0] == "sh" else " ".join(Path(each).name for each in command)
    refused = refusal is not None and done.returncode == 2 and refusal in done.stderr
    if not refused and (done.returncode or "Traceback" in done.stderr):
        raise SystemExit(f"release: {shown!r} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return f"{time.perf_counter() - began:6.1f} s  {shown}{'  (says what to install)' if refused else ''}"
