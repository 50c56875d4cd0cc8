"""How memories are formed."""
