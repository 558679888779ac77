"""A player on a port that any GGP manager can call."""
