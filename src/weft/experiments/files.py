"""Files that experiments write: whole or not there at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from weft.checkpoint import write_atomically


def write_text(path: Path, text: str) -> None:
    """Write text in UTF-8; what cannot be encoded becomes a question mark."""

    def write(file: Any) -> None:
        file.write(text.encode("utf-8", "replace"))

    write_atomically(path, write)


def write_json(path: Path, value: Any) -> None:
    """Write plain values, one to a line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "toy.json")
    >>> write_json(path, {"rows": 2})
    >>> print(path.read_text(encoding="utf-8"), end="")
    {
     "rows": 2
    }
    """
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
