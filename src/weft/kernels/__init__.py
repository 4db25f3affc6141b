"""Similarities of sequences: explicit sparse features where they exist, Gram matrices everywhere."""
