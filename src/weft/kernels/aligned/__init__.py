"""Kernels that align two sequences."""
