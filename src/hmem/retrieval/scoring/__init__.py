"""The scores of evidence: pure functions over arrays."""
