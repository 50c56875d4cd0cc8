"""How memories change."""
