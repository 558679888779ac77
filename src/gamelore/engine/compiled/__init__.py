"""The compiled engine: a game's circuit, evaluated for 512 positions per pass."""
