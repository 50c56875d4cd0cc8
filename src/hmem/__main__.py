"""The command ``hmem``, also as ``python -m hmem``. A hook, which a user waits for, goes a way of its own."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    if len(sys.argv) == 3 and sys.argv[1] == "hook" and (code := _run_hook(sys.argv[2])) is not None:
        return code
    from hmem.interfaces.cli import main as command  # noqa: PLC0415 - it loads what a hook does without

    return command()


def _run_hook(name: str) -> int | None:
    """Run the hook of an agent program and return its exit code; None if hmem-agents has no such hook, or is away."""
    try:
        from hmem_agents.hooks.fast_path import EVENTS, run  # noqa: PLC0415 - nothing else is loaded for a hook
    except ModuleNotFoundError:
        return None
    return run(name) if name in EVENTS else None


if __name__ == "__main__":
    sys.exit(main())
