"""English: words, questions, dates of questions and typed slots, for what is said in it. Its absence loses these alone."""
