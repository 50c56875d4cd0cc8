"""Answers without a language model: short extracts from the evidence."""
