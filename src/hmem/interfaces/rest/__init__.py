"""REST server: many memories under one root directory."""
