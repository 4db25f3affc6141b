"""Estimators whose outputs are trees."""
