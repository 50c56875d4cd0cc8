"""Answers without a language model: quotations from the evidence."""
