"""Kernels that ask where in a sequence something stands."""
