"""Public sets and shared tasks that no document of ours has."""
