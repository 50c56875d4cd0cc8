"""Python interface of a memory: ``Memory`` over its services, ``AsyncMemory``, and read-only views."""
