"""Evaluation of a memory: benchmark formats, metrics and runs."""
