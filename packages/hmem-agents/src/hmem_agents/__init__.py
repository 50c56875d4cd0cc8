"""Adapters to agent frameworks, each with its extra, and hooks for Claude Code."""
