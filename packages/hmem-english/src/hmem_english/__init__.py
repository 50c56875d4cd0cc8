"""English for hmem: words, dates, questions and typed slots. Without it a memory loses these alone."""
