"""Tables and figures of MM, Magic Moments, and steps beyond it."""
