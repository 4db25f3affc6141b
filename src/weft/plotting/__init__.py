"""Pictures in the manner of scikit-learn's displays; they need matplotlib: ``pip install 'weft[plot]'``."""

from weft.plotting.de_bruijn import DeBruijnDisplay

__all__ = ["DeBruijnDisplay"]
