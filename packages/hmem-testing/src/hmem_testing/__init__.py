"""Aids for tests of code that builds on hmem: the conformance suite for storages, and a stand-in for a model."""
