"""Sixty cases of many kinds of work, and sixty new tasks, each with the case that helps with it.

The tasks of ``held.jsonl`` are not measured until a final figure (``benchmarks/cases.py --held-back``).
``prompts.jsonl`` has prompts that describe no task: sixty ordinary ones, and sixty about the matter of a case.
"""
