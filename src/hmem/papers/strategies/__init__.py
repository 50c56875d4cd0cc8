"""Strategies of the papers."""
