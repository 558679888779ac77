"""Policy and value learned from tree search in self-play, from the rules alone."""
