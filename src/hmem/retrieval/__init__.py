"""Retrieval: plan a question, find and score evidence, fuse it, and write the context."""
