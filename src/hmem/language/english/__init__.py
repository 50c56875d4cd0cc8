"""Rule-based English analyst: embedded, deterministic, offline; the default."""

from hmem.language.english.analyst import RulesAnalyst, load

__all__ = ["RulesAnalyst", "load"]
