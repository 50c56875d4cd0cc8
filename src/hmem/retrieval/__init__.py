"""How memories are recalled: plan, find, score, fuse, write the context."""
