"""Compiled loops over grams: arrays in, arrays out."""
