"""Models that parse sentences by a grammar."""
