"""weft learns to map sequences to structures."""

__version__ = "0.1.0"
