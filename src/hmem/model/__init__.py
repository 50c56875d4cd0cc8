"""The values of hmem: frozen, without input or output."""
