"""Compiled loops over windows: arrays in, arrays out."""
