"""English: words, questions, their times, and typed slots. Without it a memory loses these alone."""
