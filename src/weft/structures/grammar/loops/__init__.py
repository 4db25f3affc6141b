"""Compiled loops over spans: arrays in, arrays out."""
