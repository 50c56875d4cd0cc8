"""Talks with an agent of one framework: `python driver.py FRAMEWORK MEMORY MODEL SESSION SAID…` prints its replies."""

import importlib
import json
import logging
import sys
from pathlib import Path

import hmem

if __name__ == "__main__":
    framework, place, model, session, *said = sys.argv[1:]
    sys.path[0] = str(Path(__file__).parent)
    logging.basicConfig(level=logging.WARNING)
    memory = hmem.connect(place, retries=0) if place.startswith("http://") else hmem.Memory(place)
    with memory:
        replies = importlib.import_module(f"talk_{framework}").talk(memory, model, session, said)
    print(json.dumps(replies))
