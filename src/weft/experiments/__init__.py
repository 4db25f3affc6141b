"""Published experiments, run again: measured numbers beside printed ones."""
