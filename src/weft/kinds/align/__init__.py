"""Models that align two sequences."""
