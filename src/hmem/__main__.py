"""``python -m hmem``: the same as the command ``hmem``."""

import sys

from hmem.interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
