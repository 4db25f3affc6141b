"""Rewriting of strings: the estimator, and how it learns."""
