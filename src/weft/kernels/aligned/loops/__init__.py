"""Compiled loops of kernels that align."""
