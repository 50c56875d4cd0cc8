"""Scores of evidence: pure functions over arrays."""
