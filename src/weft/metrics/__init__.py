"""Scores of predictions against references: tokens, chunks, strings, base pairs, alignments."""

from weft.metrics.calibration import CalibrationBin, calibration_bins, expected_calibration_error
from weft.metrics.chunks import ChunkScores, chunk_f1, chunk_scores
from weft.metrics.intervals import (
    bootstrap_interval,
    interval_method,
    ratio_interval,
    sample_interval,
    wilson_interval,
)
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
from weft.spelling import suggest_names

__all__ = [
    "BasePairScores",
    "CalibrationBin",
    "ChunkScores",
    "ErrorRates",
    "alignment_accuracy",
    "base_pair_scores",
    "bootstrap_interval",
    "calibration_bins",
    "chunk_f1",
    "chunk_scores",
    "edit_distance",
    "error_rates",
    "expected_calibration_error",
    "interval_method",
    "normalized_edit_similarity",
    "phone_error_rate",
    "ratio_interval",
    "sample_interval",
    "sequence_accuracy",
    "token_accuracy",
    "wilson_interval",
    "word_error_rate",
]

suggest_names(__name__)
