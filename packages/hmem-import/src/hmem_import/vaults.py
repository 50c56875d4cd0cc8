"""Vaults of notes: Obsidian's, and the graphs of Logseq, in Markdown with marks of their own."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final
from urllib.parse import unquote

from hmem_import import markdown
from hmem_import.markdown import MarkdownSection
from hmem_import.opening import ImportFile
from hmem_import.reading import cut_between
from hmem_import.tree import NOTES, ImportTree, Item

OBSIDIAN: Final = "obsidian"
LOGSEQ: Final = "logseq"
_EMBEDDED: Final = re.compile(r"!\[\[([^\[\]\n]+)\]\]")
_LINK: Final = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")
_BLOCK_ID: Final = re.compile(r"(?<![ \t])[ \t]{1,4}\^[\w-]{1,64}$", re.MULTILINE)
_CALLOUT: Final = re.compile(r"^(>\s*)\[![\w-]+\][+-]?[ \t]*", re.MULTILINE)
_QUERY: Final = re.compile(r"^(```|~~~)(?:dataview|dataviewjs|tasks|query)\b[^`~]*^\1[ \t]*$", re.MULTILINE)
_FIELD: Final = re.compile(r"^([ \t]*(?:[-*] )?[\w./-]+)::[ \t]+", re.MULTILINE)
# Of Logseq: what the program itself keeps in a block, what it computes, and references by number.
_LOGSEQ_PROPERTY: Final = re.compile(
    r"^[ \t]*(?:id|collapsed|heading|background-color|ls-type|hl-\w+|file|file-path|icon|filters|public|title|"
    r"created-at|updated-at|logseq\.[\w.-]+)::.*\n?",
    re.MULTILINE,
)
_COMPUTED: Final = re.compile(r"\{\{[^{}]*\}\}|\(\([\w-]{8,}\)\)")
_TASK: Final = re.compile(r"(TODO|DOING|NOW|LATER|WAITING|DONE|CANCELED|CANCELLED)\s+(?:\[#[ABC]\]\s+)?")
_CLOSED_STATES: Final = ("DONE", "CANCELED", "CANCELLED")


def read(tree: ImportTree, format: str) -> Iterator[Item]:
    """Yield the notes of a vault, by paragraph and list item."""
    clean = partial(_cleaned, logseq=format == LOGSEQ)
    return tree.items(partial(_of_file, format, clean), lambda name: name.lower().endswith(NOTES))


def _of_file(
    format: str, clean: Callable[[MarkdownSection], MarkdownSection | None], name: str, file: ImportFile
) -> Iterator[Item]:
    content = cut_between(file.text(), "%%", "%%", lines=True)
    title = unquote(name.rpartition("/")[2].rpartition(".")[0]).replace("___", "/")
    return markdown.note(content, name, file.modified, format, title, clean)


def _cleaned(section: MarkdownSection, *, logseq: bool) -> MarkdownSection | None:
    """Return a section without the marks of the program; None if nothing is left."""
    body, task = _QUERY.sub("", section.text), section.task
    if logseq:
        body = cut_between(body, ":LOGBOOK:", ":END:")
        for pattern in (_LOGSEQ_PROPERTY, _COMPUTED):
            body = pattern.sub("", body)
        match = _TASK.match(body)
        if match is not None:
            body, task = body[match.end() :], "done" if match[1] in _CLOSED_STATES else "open"
        body = body.replace("#[[", "[[")
    embedded = tuple(re.split(r"[|#]", target)[0].strip() for target in _EMBEDDED.findall(body))
    body = _LINK.sub(lambda match: match[1].strip("#").replace("#", ", "), _EMBEDDED.sub("", body))
    body = _FIELD.sub(r"\1: ", _CALLOUT.sub(r"\1", _BLOCK_ID.sub("", body))).replace("==", "").strip()
    if not body and not embedded:
        return None
    return section._replace(text=body, task=task, embedded=embedded)
