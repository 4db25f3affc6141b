"""Chains: all label sequences of an input."""
