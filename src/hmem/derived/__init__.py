"""Derived state: what is formed from the turns, kept in chunks and rebuilt from them."""
