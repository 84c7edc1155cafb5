"""A game between a person and agents: at the terminal, or served to a browser."""
