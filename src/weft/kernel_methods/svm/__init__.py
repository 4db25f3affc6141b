"""Support vector machines: coordinate descent, kernel rows on demand, several classes."""
