"""A memory as it is used from Python: ``Memory`` over its services, its asynchronous twin, and its views."""
