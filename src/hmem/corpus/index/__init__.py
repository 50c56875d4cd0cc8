"""How memories are found again: derived from the truth, safe to delete, rebuilt when missing or damaged."""
