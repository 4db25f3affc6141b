"""Regression from anything to strings, vectors and objects."""
