"""n-tuple networks: sums of weights by what is true in tuples of facts."""
