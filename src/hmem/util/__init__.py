"""Helpers without knowledge of memories: caches, files, and a byte search for leftover words."""
