"""Scores of predictions against references: tokens, chunks, strings, base pairs, alignments."""

from weft.metrics.bootstrap import bootstrap_interval, ratio_interval
from weft.metrics.calibration import CalibrationBin, calibration_bins, expected_calibration_error
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
from weft.metrics.wilson import wilson_interval

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
    "normalized_edit_similarity",
    "phone_error_rate",
    "ratio_interval",
    "sequence_accuracy",
    "token_accuracy",
    "wilson_interval",
    "word_error_rate",
]
