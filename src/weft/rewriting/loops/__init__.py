"""Compiled search: arrays in, arrays out."""
