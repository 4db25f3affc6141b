"""Chains whose labels depend on the symbol, and lists of whole outputs."""
