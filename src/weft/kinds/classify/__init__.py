"""Models that put texts into classes."""
