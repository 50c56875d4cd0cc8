"""Adapters to agent frameworks, each with its extra, and hooks for agent programs."""
