"""Oracles, Hypothesis strategies and estimator checks for sequence inputs."""

from weft.spelling import suggest_names
from weft.testing.estimator_checks import SEQUENCE_CHECKS, check_sequence_estimator

__all__ = ["SEQUENCE_CHECKS", "check_sequence_estimator"]

suggest_names(__name__)
