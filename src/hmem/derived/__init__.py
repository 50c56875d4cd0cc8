"""How memories are arranged."""
