"""Models that give each token a label."""
