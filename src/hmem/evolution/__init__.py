"""Evolution: changes to a memory after its turns were formed, by consolidation, models and people."""
