"""Memories of any kind as evidence: found by themselves, and from what strategies found."""
