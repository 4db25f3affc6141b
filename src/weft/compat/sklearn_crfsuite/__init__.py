"""The interface of sklearn-crfsuite: ``from weft.compat import sklearn_crfsuite`` instead of its own import.

``CRF`` with its parameters, methods and attributes, and the modules ``metrics``, ``scorers`` and ``utils``.
`docs/how-to/coming-from-crfsuite.md` says what each parameter becomes.
"""

from __future__ import annotations

from weft.compat.sklearn_crfsuite import metrics as metrics
from weft.compat.sklearn_crfsuite import scorers as scorers
from weft.compat.sklearn_crfsuite import utils as utils
from weft.compat.sklearn_crfsuite.crf import CRF

__all__ = ["CRF", "metrics", "scorers", "utils"]
