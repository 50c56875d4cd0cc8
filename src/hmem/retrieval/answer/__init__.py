"""Answers without a language model: what the evidence itself says, in as few words as it takes."""
