"""What a model file says about itself, and whether that can be believed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from weft.errors import ModelFileError
from weft.model_file.classes import CLASSES
from weft.model_file.values import decode

FORMAT = "weft"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class ModelHeader:
    """What a model file says about itself.

    Attributes
    ----------
    class_name : str
    format_version : int
    library_version : str
    summary : dict
        Facts about the training.
    """

    class_name: str
    format_version: int
    library_version: str
    summary: dict[str, Any]


def checked_header(header: dict[str, Any], path: str | os.PathLike[str]) -> ModelHeader:
    """The header, if it is whole, of a format that is known and of a class that is known."""
    name = os.fspath(path)
    file_version, class_name = header.get("format_version"), header.get("class")
    if header.get("format") != FORMAT:
        raise ModelFileError(
            f"{name} holds {str(header.get('format'))[:40]!r}, not a model. Give a file that weft.save wrote."
        )
    if type(file_version) is not int or file_version < 1:
        raise ModelFileError(
            f"{name} is damaged: its format version is {str(file_version)[:40]!r}, not a whole number from 1 on. "
            "Save the model again."
        )
    if file_version > FORMAT_VERSION:
        raise ModelFileError(
            f"{name} has format version {file_version}, written by weft {header.get('library_version')}; "
            f"this weft reads up to {FORMAT_VERSION}. Upgrade weft."
        )
    if not isinstance(class_name, str) or class_name not in CLASSES:
        raise ModelFileError(
            f"{name} holds a {str(class_name)[:40]!r}, which this weft does not know; "
            f"it knows {', '.join(CLASSES)}. Upgrade weft."
        )
    library_version, summary = header.get("library_version"), header.get("summary")
    try:
        plain = decode(summary, {})
    except Exception:
        plain = None
    whole = isinstance(header.get("parameters"), dict) and "state" in header
    if not isinstance(library_version, str) or not isinstance(plain, dict) or not whole:
        raise ModelFileError(f"{name} is damaged: its header is not whole. Save the model again.")
    return ModelHeader(class_name, file_version, library_version, plain)
