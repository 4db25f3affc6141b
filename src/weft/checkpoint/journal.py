"""What the fits of one run have done so far, so that an interrupted run can go on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from weft.checkpoint.array_file import Arrays
from weft.checkpoint.fit_state import Checkpoint
from weft.errors import InputError, ModelFileError

SECONDS = 10.0
"""Between two writes: what a crash can cost."""

_current: ContextVar[Journal | None] = ContextVar("journal", default=None)


@dataclass(frozen=True)
class FitState:
    """What one fit needs to go on.

    Attributes
    ----------
    arrays : dict of str to ndarray
    facts : dict
        Plain values.
    done : bool
        Whether the fit was complete, so that its arrays are its result.
    """

    arrays: Arrays
    facts: dict[str, Any]
    done: bool = False


class Journal:
    """States of the fits of one run, and facts that the run worked out, in one file.

    A run that is deterministic makes its fits in the same order each time, so a fit is known by its number.

    Parameters
    ----------
    path : path
    key : callable
        Marks data and settings; called when the file is first read or written.
    resume : bool
        Take over what an interrupted run left at `path`; without, the file is replaced once there is something new.
    seconds : float
        Time between two writes.
    check : callable, optional
        Called at each step; may raise to stop the run.

    Attributes
    ----------
    resumed : bool
        Whether there was something to take over.
    facts : dict
        Plain values that the run wants to find again; `note` adds one.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.weft.checkpoint")
    >>> journal = Journal(path, lambda: "words.tsv")
    >>> journal.note("fold 1", 0.5)
    >>> journal.write()
    >>> Journal(path, lambda: "words.tsv", resume=True).facts
    {'fold 1': 0.5}
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        key: Callable[[], str],
        *,
        resume: bool = False,
        seconds: float = SECONDS,
        check: Callable[[], None] | None = None,
    ) -> None:
        self._file = Checkpoint(path)
        self._make_key = key
        self._key: str | None = None
        self._seconds = seconds
        self._check = check
        self._fits: list[FitState | None] = []
        self._n_opened = 0
        self._written = time.monotonic()
        self.facts: dict[str, Any] = {}
        self.resumed = resume and self._load()

    def _load(self) -> bool:
        state = self._file.load()
        if state is None:
            return False
        if state.meta.get("key") != self.key:
            raise InputError(
                f"{self._file.path} was left by a run with other data or options, or by another version; give those "
                "again, or start afresh without --resume."
            )
        facts, fits = state.meta.get("facts"), state.meta.get("fits")
        if not (isinstance(facts, dict) and isinstance(fits, list) and all(map(_is_fit, fits))):
            raise ModelFileError(f"{self._file.path} is damaged: it holds no states. Remove it to start afresh.")
        self.facts = facts
        for number, fit in enumerate(fits):
            if fit is None:
                self._fits.append(None)
                continue
            start = f"{number}/"
            arrays = {name.removeprefix(start): a for name, a in state.arrays.items() if name.startswith(start)}
            self._fits.append(FitState(arrays, fit["facts"], fit["done"]))
        return True

    @property
    def key(self) -> str:
        """What marks the run."""
        if self._key is None:
            self._key = self._make_key()
        return self._key

    def open_fit(self) -> int:
        """Number of the fit that begins now."""
        self._n_opened += 1
        if self._n_opened > len(self._fits):
            self._fits.append(None)
        return self._n_opened - 1

    def fit_state(self, number: int) -> FitState | None:
        """What is known of a fit."""
        return self._fits[number]

    def keep(self, number: int, arrays: Mapping[str, NDArray[Any]], facts: dict[str, Any], done: bool) -> None:
        """Note the state of a fit, and write the file if that was long ago; the arrays must not change any more."""
        self._fits[number] = FitState(dict(arrays), facts, done)
        self._written_in_time()

    def note(self, name: str, fact: Any) -> None:
        """Note a fact, and write the file if that was long ago."""
        self.facts[name] = fact
        self._written_in_time()

    def _written_in_time(self) -> None:
        if self._check is not None:
            self._check()
        if time.monotonic() - self._written >= self._seconds:
            self.write()

    def write(self) -> None:
        """Replace the file by what is known now; no file for nothing."""
        arrays: Arrays = {}
        fits: list[dict[str, Any] | None] = []
        for number, fit in enumerate(self._fits):
            fits.append(None if fit is None else {"facts": fit.facts, "done": fit.done})
            if fit is not None:
                arrays.update({f"{number}/{name}": array for name, array in fit.arrays.items()})
        if arrays or self.facts:
            self._file.save(self._n_opened, arrays, {"key": self.key, "fits": fits, "facts": self.facts})
        self._written = time.monotonic()

    def remove(self) -> None:
        """Remove the file: the run is complete."""
        self._file.remove()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known yet."""
        return not self.facts and all(fit is None for fit in self._fits)


def _is_fit(value: Any) -> bool:
    """Whether a file has the state of a fit here, or None."""
    if value is None:
        return True
    return isinstance(value, dict) and isinstance(value.get("facts"), dict) and isinstance(value.get("done"), bool)


def current_journal() -> Journal | None:
    """The journal that fits are to be noted in, if there is one."""
    return _current.get()


@contextmanager
def journal_kept(journal: Journal | None) -> Iterator[None]:
    """Note fits of the block in the journal; with None in none. An interrupt writes it at once.

    Examples
    --------
    >>> with journal_kept(None):
    ...     current_journal() is None
    True
    """
    token = _current.set(journal)
    try:
        yield
    except KeyboardInterrupt:
        if journal is not None:
            journal.write()
        raise
    finally:
        _current.reset(token)
