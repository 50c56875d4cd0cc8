"""Aids for tests of what builds on hmem: the conformance suite of storages, and a stand-in for a language model."""
