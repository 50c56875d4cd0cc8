"""Postgres: many memories in one database, and Citus under it."""
