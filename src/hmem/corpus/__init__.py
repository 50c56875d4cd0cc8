"""Corpus: one memory's storage, indices and embedder, kept in agreement."""
