"""Benchmarks of speed and size on the local machine, with their figures as JSON."""
