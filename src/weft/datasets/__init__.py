"""Loaders for public data, and generators."""
