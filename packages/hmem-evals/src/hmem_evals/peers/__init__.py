"""Other memories and indices on the same conversations, each in its own environment, side by side with ours."""
