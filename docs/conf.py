"""How Sphinx makes the site of these pages: `make site`. What may be searched works without a network."""

import logging
import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SOURCE = PROJECT.get("urls", {}).get("Source")
LINK = re.compile(r"(?P<text>\[[^\]\n]*\])\((?P<path>[^)#:\s]+)(?:#[^)\s]*)?\)")
PICTURES = {".svg", ".png", ".webp"}

logging.getLogger("faiss").setLevel(logging.WARNING)

project = PROJECT["name"]
release = PROJECT["version"]
author = "hmem maintainers"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# The pages lie where a reader of the repository looks for them, and link to each other as they do there.
include_patterns = ["*.md", "docs/**.md"]
exclude_patterns = [path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "docs"]
root_doc = "docs/contents"
myst_heading_anchors = 4

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
napoleon_numpy_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"hmem {release}"
html_show_sphinx = False
html_copy_source = False
html_extra_path = ["site"]


def lead_out(app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to files that are no pages, such as a folder of the code, lead to the repository."""
    folder = (ROOT / page).parent
    pages = {(ROOT / name).with_suffix(".md") for name in app.env.found_docs}

    def outside(link: re.Match[str]) -> str:
        target = folder / link["path"]
        if not target.exists() or target.resolve() in pages or target.suffix in PICTURES:
            return link[0]
        return (
            f"{link['text']}({SOURCE}/blob/main/{target.resolve().relative_to(ROOT)})" if SOURCE else link["text"][1:-1]
        )

    source[0] = LINK.sub(outside, source[0])


def setup(app: Sphinx) -> None:
    """Tell Sphinx of the above."""
    app.connect("source-read", lead_out)
