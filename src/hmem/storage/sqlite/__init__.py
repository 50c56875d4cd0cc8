"""SQLite: one memory in one file."""
