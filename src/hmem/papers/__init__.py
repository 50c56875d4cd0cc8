"""Papers: what only the recipes of the five papers use, loaded when one of them or the tiers are asked for."""
