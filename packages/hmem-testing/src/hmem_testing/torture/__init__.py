"""Attacks on the promise that nothing acknowledged is lost and nothing forgotten comes back: ``hmem torture``.

``kills`` ends processes at any moment of any write; ``wal`` damages the log that they leave; ``faults`` has full and
read-only disks; ``clocks`` turns the clock back; ``indices`` damages what is beside the memory; ``contention`` has
many processes and threads at one memory; ``fuzz`` meets parsers, dates and importers with made-up inputs. Each counts
what it tried and keeps what failed with the full history of the turns concerned.
"""
