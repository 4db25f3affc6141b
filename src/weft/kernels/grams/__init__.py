"""Kernels whose features are grams: short rows of symbols."""
