"""Indices over turns: derived from the storage, safe to delete, rebuilt when missing or damaged."""
