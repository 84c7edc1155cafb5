"""Recorded games, shown: step by step in the terminal, or on a page for a browser."""
