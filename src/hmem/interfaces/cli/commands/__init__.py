"""Commands of ``hmem``, a module for each or for a family."""
