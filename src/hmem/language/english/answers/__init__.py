"""Answers in English without a language model: what a question asks for, lines of turns, and the wording."""
