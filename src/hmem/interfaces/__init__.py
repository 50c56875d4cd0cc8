"""Where others meet a memory: the command line, and what follows it."""
