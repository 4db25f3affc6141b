"""Models in files: safetensors and a JSON header, a table of our own classes, nothing executable.

An estimator takes part through two methods and one line in `CLASSES`:

* ``_to_state() -> (state, arrays)`` returns what it has learned: `state` of plain values
  (numbers, strings, lists, tuples, dicts, arrays, components of `CLASSES`) and named arrays.
  Long lists of strings belong in arrays: `weft.checkpoint.pack_strings`, `pack_symbols`.
* ``_from_state(state, arrays)`` sets the same on a new estimator that was built with the saved
  parameters. It first holds both to rules (`weft.state_rules`), because whatever it takes goes to
  compiled loops that check nothing. An error of any kind becomes one `ModelFileError`.

``_training_summary() -> dict`` is optional: a few facts for people who look at the file.
"""

from weft.checkpoint.packing import pack_strings, pack_symbols, unpack_strings, unpack_symbols
from weft.model_file.classes import CLASSES
from weft.model_file.files import OpenModel, load, open_model, read_header, save
from weft.model_file.header import FORMAT_VERSION, ModelHeader

__all__ = [
    "CLASSES",
    "FORMAT_VERSION",
    "ModelHeader",
    "OpenModel",
    "load",
    "open_model",
    "pack_strings",
    "pack_symbols",
    "read_header",
    "save",
    "unpack_strings",
    "unpack_symbols",
]
