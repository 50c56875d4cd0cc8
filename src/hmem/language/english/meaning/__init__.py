"""What is read from a dependency tree: clauses, who is meant, events, claims, relations and changes."""
