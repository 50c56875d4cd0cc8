"""Adapters to agent frameworks; each module needs its extra."""
