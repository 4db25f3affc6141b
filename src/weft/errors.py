"""Errors of weft: each says what was given, what is needed and what to do."""

from __future__ import annotations

import sys

LONGEST = 1000
"""Characters of a message: it may show a value of any length."""


class WeftError(Exception):
    """Any error that a user can fix; the command line prints it as one line."""

    def __init__(self, message: str = "") -> None:
        message = " ".join(map(str.strip, message.splitlines()))  # values that it shows, such as arrays, have several
        if len(message) > LONGEST:  # the end says what to do
            message = f"{message[: LONGEST // 2]} ... {message[-LONGEST // 3 :]}"
        super().__init__(message)


class InputError(WeftError, ValueError):
    """Sequences, labels, parameters or files that weft cannot use."""


class ModelFileError(WeftError, ValueError):
    """A model file that is truncated, from another program, from a newer version, or of another estimator."""


def unreadable(path: object, error: Exception) -> ModelFileError:
    """What to say of a model file that cannot be opened."""
    return ModelFileError(f"cannot read {path}: {getattr(error, 'strerror', '') or error}. Check the path.")


class MissingDataError(WeftError, FileNotFoundError):
    """A data set that is not on this machine; the message names its public source."""


class ConvergenceWarning(UserWarning):
    """A limit ended a fit before its goal was reached."""


def convergence_warning() -> type[Warning]:
    """The class of a warning that a fit did not converge: scikit-learn's, which its users filter, if it is loaded.

    Who has not loaded it filters nothing of it, and need not wait for it and hold a hundred megabytes more.
    """
    theirs = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = getattr(theirs, "ConvergenceWarning", ConvergenceWarning)
    return found
