"""Data that do not fit into memory or one machine: batches whose parts are files, or live on the workers of a cluster.

>>> import weft
>>> X, y = ["ab", "ba", "abb", "a"], ["xy", "yx", "xyy", "x"]
>>> parts = weft.scale.Examples.from_lists(X, y, n_parts=2)
>>> with weft.scale.connected(workers=2) as client:  # doctest: +SKIP
...     tagger = weft.Tagger().fit(parts, client=client)
"""

from weft.scale.answers import evaluate, predict
from weft.scale.connect import connected
from weft.scale.examples import Examples

__all__ = ["Examples", "connected", "evaluate", "predict"]
