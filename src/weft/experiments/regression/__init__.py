"""Tables and figures of RG: a regression framework for string-to-string mappings."""
