"""Verification of engines: perft counts, and playout records to compare with."""
