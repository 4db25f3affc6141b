"""Dynamic programming on arrays: semirings, derivation graphs, passes and queries."""
