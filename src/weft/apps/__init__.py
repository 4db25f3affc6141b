"""Command line and reports."""
