"""Benchmarks that run a peer and weft on the same data and print ratios: ``python -m benchmarks``."""
