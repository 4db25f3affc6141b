"""What a release changes in the tree: news fragments become a section of the changelog, and the version its number."""

from __future__ import annotations

import re
from pathlib import Path

TITLES = {"feature": "New", "change": "Changed", "fix": "Fixed", "removal": "Removed"}
"""Kinds of fragments in the order of the changelog."""

CHANGELOG, CITATION, VERSION_FILE, FRAGMENTS = "CHANGELOG.md", "CITATION.cff", "src/weft/__init__.py", "changes"


def fragments(root: Path) -> list[Path]:
    """All fragments, by issue and name."""
    found = [path for path in (root / FRAGMENTS).glob("*.md") if path.name != "README.md"]
    return sorted(found, key=lambda path: (int(path.name.split(".")[0]), path.name))


def section(root: Path, version: str, date: str) -> str:
    """The section of a version: its fragments as list items, one list for each kind."""
    parts = [f"## {version} ({date})\n"]
    for kind, title in TITLES.items():
        items = [path.read_text(encoding="utf-8").strip() for path in fragments(root) if path.stem.endswith(f".{kind}")]
        if items:
            lines = ["* " + item.replace("\n", "\n  ") for item in items]
            parts.append(f"### {title}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def current_version(root: Path) -> str:
    """The version that the package says."""
    return _VERSION.search((root / VERSION_FILE).read_text(encoding="utf-8"))[2]  # type: ignore[index]


def apply(root: Path, version: str, date: str) -> list[str]:
    """Change the tree; paths that changed. Once more without new fragments, it changes nothing."""
    before = {name: (root / name).read_text(encoding="utf-8") for name in (CHANGELOG, CITATION, VERSION_FILE)}
    after = dict(before)
    gone = fragments(root)
    if gone:
        if re.search(rf"^## {re.escape(version)} ", before[CHANGELOG], re.MULTILINE):
            raise SystemExit(f"release: {CHANGELOG} has {version} already, and there are {len(gone)} new fragments; "
                             "give another version.")  # fmt: skip
        intro, _, older = re.sub(r"^## Unreleased\n.*?(?=^## |\Z)", "", before[CHANGELOG], flags=_SECTION).partition(
            "\n## "
        )
        older = f"\n## {older}" if older else ""
        after[CHANGELOG] = intro.rstrip() + "\n\n" + section(root, version, date) + older
    dated = re.search(rf"^## {re.escape(version)} \((.*)\)$", after[CHANGELOG], re.MULTILINE)
    if dated is None:
        raise SystemExit(f"release: there are no news fragments in {FRAGMENTS}/ and no section {version} in "
                         f"{CHANGELOG}; there is nothing to release.")  # fmt: skip
    after[VERSION_FILE] = _VERSION.sub(rf"\g<1>{version}\g<3>", before[VERSION_FILE])
    after[CITATION] = re.sub(r"^version: .*$", f"version: {version}", before[CITATION], flags=re.MULTILINE)
    after[CITATION] = re.sub(r"^date-released: .*$", f"date-released: {dated[1]}", after[CITATION], flags=re.MULTILINE)
    changed = [name for name in before if after[name] != before[name]]
    for name in changed:
        (root / name).write_text(after[name], encoding="utf-8")
    for path in gone:
        path.unlink()
    return [*changed, *(f"{FRAGMENTS}/{path.name}" for path in gone)]


_VERSION = re.compile(r'^(__version__ = ")([^"]+)(")$', re.MULTILINE)
_SECTION = re.MULTILINE | re.DOTALL
