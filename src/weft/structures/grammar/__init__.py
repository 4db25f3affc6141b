"""Parse trees: all derivations of a sequence under a weighted context-free grammar."""
