"""Strategies: each finds and scores candidates, and can be used alone."""
