"""Output spaces: what a derivation means for a tagging, an alignment or a parse."""
