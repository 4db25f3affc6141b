"""N-gram language models: counts, smoothing, and tables that compiled decoders walk through."""

from weft.language_model.model import NGramLanguageModel
from weft.language_model.tables import BackOffTables, dense_rows
from weft.language_model.tables import checked_step as step
from weft.spelling import suggest_names

__all__ = ["BackOffTables", "NGramLanguageModel", "dense_rows", "step"]

suggest_names(__name__)
