"""Compiled loops over candidates: arrays in, arrays out."""
