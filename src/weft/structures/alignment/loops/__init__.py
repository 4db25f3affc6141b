"""Compiled loops over alignments: arrays in, arrays out."""
