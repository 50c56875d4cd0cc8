"""Meaning, read from dependency trees: clauses, who is meant, events, claims, relations and changes."""
