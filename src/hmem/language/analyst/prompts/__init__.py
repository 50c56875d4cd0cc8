"""The prompts of the model analyst, one file for each task; ``shared.md`` is before each of them."""
