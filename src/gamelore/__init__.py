"""A general game learner."""
