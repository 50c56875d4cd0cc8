"""Hooks for Claude Code: recall into a session and capture from it, without disturbing it."""
