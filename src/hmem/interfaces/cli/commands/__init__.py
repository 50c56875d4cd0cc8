"""The commands, a file for each or for a family."""
