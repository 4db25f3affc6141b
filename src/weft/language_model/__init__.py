"""N-gram language models: counts, smoothing, and tables that compiled decoders walk through."""

from weft.language_model.model import NGramLanguageModel
from weft.language_model.tables import BackOffTables, dense_rows, step

__all__ = ["BackOffTables", "NGramLanguageModel", "dense_rows", "step"]
