"""Estimators that label tokens."""
