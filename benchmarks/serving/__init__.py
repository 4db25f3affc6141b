"""`weft serve` measured on the loopback."""
