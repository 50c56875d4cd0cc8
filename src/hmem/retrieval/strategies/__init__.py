"""Strategies: each finds candidates and scores them, and can be used alone."""
