"""`python -m release VERSION`: prepare a copy of the tree, build it, try the wheel, and only then change the tree."""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from release import artefacts, news, trial

ROOT = Path(__file__).parents[1]


def git(*arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def check_tree() -> None:
    """Refuse changes that are not committed, other than those of an earlier run."""
    own = (news.CHANGELOG, news.CITATION, news.VERSION_FILE)
    for line in git("status", "--porcelain").splitlines():
        path = line[3:]
        deleted = "D" in line[:2] and path.startswith(f"{news.FRAGMENTS}/")
        if path not in own and not deleted:
            raise SystemExit(f"release: {path} has changes that are not committed; commit or remove them first.")


def check_version(version: str) -> None:
    """Refuse what is no version, or one that is lower than the present one."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit(f"release: {version!r} is no version; needed three numbers, as in VERSION=0.2.0")
    present = news.current_version(ROOT)
    if [int(part) for part in version.split(".")] < [int(part) for part in present.split(".")]:
        raise SystemExit(f"release: {version} is lower than {present}, which the tree has.")


def copy_tree(target: Path) -> None:
    """The tree as it is, without what git ignores."""
    for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument("--python", action="append", default=[], help="try the wheel on this one; may be repeated")
    options = parser.parse_args()
    version, began = options.version, time.perf_counter()
    check_version(version)
    check_tree()
    pythons = trial.pythons(options.python)
    seconds = int(git("log", "-1", "--format=%ct"))
    date = datetime.datetime.fromtimestamp(seconds, datetime.UTC).date().isoformat()

    def say(text: str) -> None:
        print(text, flush=True)

    say(f"weft {version}, from {git('rev-parse', '--short', 'HEAD').strip()} of {date}, on {platform.platform()}")
    with tempfile.TemporaryDirectory(prefix="weft-release-") as name:
        work = Path(name)
        tree, built = work / "tree", work / "dist"
        tree.mkdir()
        built.mkdir()
        copy_tree(tree)
        changed = news.apply(tree, version, date)
        say(f"changelog: {sum(path.startswith(news.FRAGMENTS) for path in changed)} fragments moved")
        wheel, source = artefacts.build(tree, built, seconds)
        for file, facts in (
            (wheel, artefacts.check_wheel(wheel, version)),
            (source, artefacts.check_source(source, version)),
        ):
            say(f"built and checked: {file.name}, {facts['files']} files, {facts['bytes']:,} bytes")
        artefacts.check_texts(wheel, source)
        say("metadata and README: as a package index wants them")
        readme = (tree / "README.md").read_text(encoding="utf-8")
        say(f"trying the wheel on {len(pythons)} Pythons, side by side")
        with ThreadPoolExecutor(len(pythons)) as pool:  # most of the time goes into compiling, on one core each
            trials = pool.map(
                lambda each: trial.tried(each[1], wheel, readme, version, work / str(each[0])), enumerate(pythons)
            )
            for lines in trials:
                say("\n".join(lines))
        artefacts.write_bill(trial.inside(work / "0"), built / f"weft-{version}.cdx.json", seconds)
        sums = artefacts.write_sums(built)
        say(sums.read_text(encoding="utf-8").rstrip())
        dist = ROOT / "dist"
        shutil.rmtree(dist, ignore_errors=True)
        shutil.copytree(built, dist)
    # All is well: now the tree itself.
    for path in news.apply(ROOT, version, date):
        say(f"changed: {path}" if (ROOT / path).exists() else f"deleted: {path}")
    say(
        f"dist/ has the release, after {time.perf_counter() - began:.0f} s. Nothing was published. By hand: look at "
        f"the changes, commit them as 'release: {version}', tag v{version}, upload dist/ with twine."
    )


if __name__ == "__main__":
    main()
