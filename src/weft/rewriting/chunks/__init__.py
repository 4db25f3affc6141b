"""Chunks of two sequences that belong together, and the labels they give."""
