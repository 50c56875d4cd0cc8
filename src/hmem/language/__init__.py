"""What reads and writes language for the engine."""
