"""Kernels of vectors and of sequences of vectors."""
