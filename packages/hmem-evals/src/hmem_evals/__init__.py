"""How well it remembers, measured: benchmarks' formats, metrics and the runs that put them together."""
