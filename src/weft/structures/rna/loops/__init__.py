"""Compiled loops over the loops of RNA: arrays in, arrays out."""
