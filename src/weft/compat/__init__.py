"""Other libraries' interfaces over weft's models, for scripts that change one import."""

from __future__ import annotations

from weft.compat import sklearn_crfsuite as sklearn_crfsuite
from weft.spelling import suggest_names

__all__ = ["sklearn_crfsuite"]

suggest_names(__name__)
