"""Scores of predictions against references: tokens, chunks, strings, base pairs, alignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.spelling import export_names

if TYPE_CHECKING:
    from weft.metrics.calibration import (
        CalibrationBin,
        calibration_bins,
        expected_calibration_error,
        honest_calibration_error,
    )
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

_MODULES = {
    "calibration": "CalibrationBin calibration_bins expected_calibration_error honest_calibration_error",
    "chunks": "ChunkScores chunk_f1 chunk_scores",
    "intervals": "bootstrap_interval interval_method ratio_interval sample_interval wilson_interval",
    "strings": "ErrorRates edit_distance error_rates normalized_edit_similarity phone_error_rate word_error_rate",
    "structures": "BasePairScores alignment_accuracy base_pair_scores",
    "tokens": "sequence_accuracy token_accuracy",
}
"""What each file defines; it is imported when that is first used."""

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
    "honest_calibration_error",
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

export_names(__name__, {name: f"{__name__}.{file}" for file, names in _MODULES.items() for name in names.split()})
