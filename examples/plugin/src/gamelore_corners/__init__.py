"""A player, an evaluator and a game for gamelore."""
