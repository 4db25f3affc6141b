"""Spectral taggers: one low-rank matrix of scores, learned with a margin."""
