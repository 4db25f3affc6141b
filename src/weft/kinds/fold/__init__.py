"""Models that fold RNA."""
