"""Pages for a browser: templates, style and scripts, and what puts them together."""
