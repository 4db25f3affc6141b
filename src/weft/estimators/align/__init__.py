"""Estimators that align sequences."""
