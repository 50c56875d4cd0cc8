"""Plugins that agent programs load: one in the form of Claude Code, and those of Gemini CLI and Hermes."""

from pathlib import Path
from typing import Final

# Loaded by Claude Code and its Agent SDK, by Codex CLI, and by GitHub Copilot's CLI and SDK.
PLUGIN: Final = str(Path(__file__).with_name("plugin"))
