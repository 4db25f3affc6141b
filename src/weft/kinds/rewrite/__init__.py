"""Models that rewrite one string as another."""
