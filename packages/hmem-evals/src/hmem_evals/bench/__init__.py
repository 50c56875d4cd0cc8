"""How fast and how large: measured on the machine at hand, printed as JSON."""
