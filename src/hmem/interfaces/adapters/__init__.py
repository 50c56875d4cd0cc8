"""A memory in agent frameworks, each in a module of its own that needs its extra."""
