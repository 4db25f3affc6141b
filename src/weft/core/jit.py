"""The one place that says how hot loops are compiled, and where what came out is kept."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import stat
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.environment import Environment, _rebuild_env, lookup_environment
from numba.core.runtime.nrt import rtsys

from weft.core.compiling import announce_compilation
from weft.core.own_copies import PartCacheImpl, PartCompiler, RowCompiler, WholeCompiler, use_part

F = TypeVar("F", bound=Callable[..., Any])

DIGEST_BYTES = 32
CURE = "set NUMBA_CACHE_DIR to a folder that you may write to"

REORDERED = {"reassoc", "contract", "arcp", "nsz"}
"""What LLVM may do to sums of `jit_fast`: not assume that there is no NaN or infinity."""

announce_compilation()

_is_kept = True
"""Whether there is a folder for compiled code."""


def jit(function: F) -> F:
    """Compile without the GIL and cache on disk; results keep IEEE rules, for sums as for NaN and infinity.

    That is said to Numba, which else compiles a function by the rules of whoever happens to call it first.
    """
    return _compiled(function)


def jit_fast(function: F) -> F:
    """Like `jit`, and let sums be reordered so that they vectorise. For finite numbers only."""
    return _compiled(function, fastmath=REORDERED)


def jit_rows(function: F) -> F:
    """Like `jit`, for what Python calls and goes along many rows of some ten numbers, as of labels.

    A fifth faster there, and slower elsewhere.
    """
    return _compiled(function, pipeline_class=RowCompiler)


def jit_inline(function: F) -> F:
    """Copy the function into its callers before they compile: for thin layers, which would else be compiled twice."""
    return _compiled(function, inline="always")


def _compiled(function: F, **options: Any) -> F:
    # Nothing takes compiled functions as values, which is what Numba's second wrapper is for.
    rules = {"nogil": True, "error_model": "numpy", "fastmath": False, "no_cfunc_wrapper": True} | options
    decorate: Any = numba.njit
    whole = decorate(**{"pipeline_class": WholeCompiler} | rules)(function)
    if whole is not function:  # as it is with the compiler off
        part = decorate(**rules | {"pipeline_class": PartCompiler, "no_cpython_wrapper": True})(function)
        use_part(whole, part)
        _keep(whole, _Cache)
        _keep(part, _PartCache)
    return cast(F, whole)


def _keep(dispatcher: Any, cache: type[_Cache]) -> None:
    """Keep the compiled code of a function on disk: where Numba would, in a temporary folder, or nowhere."""
    if _is_kept:
        try:
            dispatcher._cache = cache(dispatcher.py_func)
        except RuntimeError:  # no folder of Numba's list can be written to
            _settle_elsewhere()
            _keep(dispatcher, cache)


def _settle_elsewhere() -> None:
    """Have Numba use a temporary folder from now on, or do without."""
    global _is_kept
    refused = "compiled code cannot be kept beside the package or in the home folder"
    try:
        config: Any = numba.config
        folder = str(_temporary_folder())
        if folder == config.CACHE_DIR:
            raise OSError
        config.CACHE_DIR = folder
        _say(f"{refused}; it is kept in {folder}: {CURE}.")
    except OSError:
        _is_kept = False
        _say(f"{refused}, so that each run compiles anew, which takes a minute: {CURE}.")


def _temporary_folder() -> Path:
    """A folder that is ours alone: whoever else could write to it could have us run anything."""
    user = getattr(os, "getuid", lambda: 0)()
    folder = Path(tempfile.gettempdir(), f"weft-numba-{user}")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if os.name == "posix" and (found.st_uid != user or stat.S_IMODE(found.st_mode) & 0o077):
        raise PermissionError
    return folder


def _say(message: str) -> None:
    warnings.warn(message, stacklevel=2)


class _CheckedFile(IndexDataCacheFile):
    """Files of the cache with a digest at their ends: Numba itself would run whatever damage made of its code."""

    def _dump(self, value: Any) -> bytes:
        data: bytes = super()._dump(value)
        return data + hashlib.sha256(data).digest()

    def _load_index(self) -> dict[Any, str]:
        version = pickle.dumps(self._version, protocol=-1)
        try:
            content = Path(self._index_path).read_bytes()
            if not content.startswith(version):
                return {}
            stamp, names = pickle.loads(_checked(content[len(version) :]))
        except OSError:  # not there, or damaged: to be compiled
            return {}
        return cast("dict[Any, str]", names) if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        return _Unpickler(io.BytesIO(_checked(Path(self._data_path(name)).read_bytes()))).load()


class _Unpickler(pickle.Unpickler):
    """Reads compiled code without the modules that its functions come from.

    Numba would import them, those of its own among them, which takes longer than all else of a first prediction.
    """

    def find_class(self, module: str, name: str) -> Any:
        """What a name in the file stands for."""
        return _environment if name == _rebuild_env.__name__ else super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """What compiled code needs of Python: constants; globals are for code that was not compiled to the end."""
    found = lookup_environment(name)
    if found is None:
        found = Environment._memo[name] = Environment({"__name__": module})
        found.consts[:], found.env_name = constants, name
    return found


def _checked(data: bytes) -> bytes:
    body = data[:-DIGEST_BYTES]
    if hashlib.sha256(body).digest() != data[-DIGEST_BYTES:]:
        raise OSError("damaged")
    return body


class _Cache(FunctionCache):
    """Numba's cache of one function, which notices damage, and does without a disk that refuses."""

    form = ""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        base, stamp = self._impl.filename_base + self.form, self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFile(self._cache_path, base, stamp)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Compiled code from disk.

        Numba would first load everything that compiling may need, which takes longer than all else of a first
        prediction. Code that is there needs the runtime that owns arrays (and, were there loops that hash strings,
        their symbols); a compilation loads the rest when it begins.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target_context)

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep compiled code; if that fails say so once, and keep nothing more."""
        global _is_kept
        if not _is_kept:
            return
        try:
            super().save_overload(signature, data)
        except OSError as error:
            _is_kept = False
            _say(f"compiled code cannot be kept in {self._cache_path} ({error.strerror or error}): {CURE}.")


class _PartCache(_Cache):
    """The cache of a function as compiled ones call it."""

    _impl_class: Any = PartCacheImpl
    form = ".part"
