"""The command ``hmem``, also as ``python -m hmem``. A hook, which a user waits for, goes a way of its own."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    if len(sys.argv) == 3 and sys.argv[1] == "hook":
        from hmem.interfaces.claude_code.fast_path import EVENTS, run  # noqa: PLC0415 - nothing else is loaded for a hook

        if sys.argv[2] in EVENTS:
            return run(sys.argv[2])
    from hmem.interfaces.cli import main as command  # noqa: PLC0415 - it loads what a hook does without

    return command()


if __name__ == "__main__":
    sys.exit(main())
