"""Hooks for agent programs: recall into a session and capture from it, without disturbing it."""
