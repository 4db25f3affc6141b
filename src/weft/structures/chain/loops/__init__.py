"""Compiled loops over chains: arrays in, arrays out."""
