"""Scores of predictions against references: tokens, chunks, strings, base pairs, alignments."""

from weft.metrics.bootstrap import bootstrap_interval, ratio_interval
from weft.metrics.chunks import ChunkScores, chunk_f1, chunk_scores
from weft.metrics.strings import (
    ErrorRates,
    edit_distance,
    error_rates,
    normalized_edit_similarity,
    phone_error_rate,
    word_error_rate,
)
from weft.metrics.structures import BasePairScores, alignment_accuracy, base_pair_scores
from weft.metrics.tokens import sequence_accuracy, token_accuracy

__all__ = [
    "BasePairScores",
    "ChunkScores",
    "ErrorRates",
    "alignment_accuracy",
    "base_pair_scores",
    "bootstrap_interval",
    "chunk_f1",
    "chunk_scores",
    "edit_distance",
    "error_rates",
    "normalized_edit_similarity",
    "phone_error_rate",
    "ratio_interval",
    "sequence_accuracy",
    "token_accuracy",
    "word_error_rate",
]
