"""The interpreter: tabled evaluation of the parsed rules, slow and independent."""
