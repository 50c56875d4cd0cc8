"""Command ``hmem explore``."""

import webbrowser
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from hmem.errors import ExtraMissing
from hmem.interfaces.cli.commands.serve import check_extra
from hmem.interfaces.cli.exports import Export, Storing, is_export, prepare
from hmem.interfaces.cli.options import (
    checked_location,
    command,
    default_memory,
    emit,
    flag,
    invocation,
    open_memory,
    option,
    optional_memory_option,
)
from hmem.model.key import MemoryKey


@command(
    "explore",
    'JSON: {"address", "link", "place"}, as soon as it listens; for an export also what it holds, as "export".',
    click.argument("file", required=False, callback=checked_location),
    flag("--no-browser", "Only print the link."),
    option(
        "--port", None, "Where to listen; any free one by default.", default=0, show_default=False,
        type=click.IntRange(0, 65_535),
    ),
    option("--recipe", "NAME", "How it is recalled; by default as it was made."),
    optional_memory_option,
)  # fmt: skip
def explore(file: str | None, port: int, recipe: str | None, memory: str | None, *, no_browser: bool) -> None:
    """Look into a memory, ask it, and put it right, on a page in the browser.

    FILE is the memory's file, or its URL in a database; or an export of ChatGPT, Claude or another program, as `hmem
    import` reads it, which becomes a memory beside it, or the one of --memory. A later run adds what is new. The page
    is for this machine alone, and is opened by a link that holds once: who has lost the page runs this again. It ends
    with Ctrl-C.
    """
    check_extra()
    from hmem.interfaces.rest import server  # noqa: PLC0415 - needs the extra
    from hmem.interfaces.rest.explorer import LocalPage, built_page  # noqa: PLC0415
    from hmem.interfaces.rest.names import name_of  # noqa: PLC0415
    from hmem.interfaces.rest.settings import Settings  # noqa: PLC0415
    from hmem.storage.location import Location  # noqa: PLC0415

    if not built_page():
        raise ExtraMissing("the page was not built with this hmem - run `make explore` in its clone")
    export, is_new = None, False
    if file is not None and "://" not in file and is_export(Path(file)):
        export = Export.read(Path(file))
        path = memory or str(export.memory_path())
        is_new = prepare(export, path, named=memory is not None)
    else:
        path = file or memory or default_memory()
    location = Location.parse(path)
    # What is wrong with the memory is told here, and not on the page.
    with open_memory(path, recipe=recipe):
        pass
    local = LocalPage(name_of(location))

    def report(address: str) -> None:
        link = local.link(address)
        value = {"address": address, "link": link, "place": str(location)}
        if export is None:
            emit(value, link)
        else:
            memory_line = f"{'new memory' if is_new else 'memory'}: {location}"
            emit({**value, "export": export.figures}, (export.describe(), memory_line, link))
        if not no_browser:
            webbrowser.open(link)

    key = invocation().key or MemoryKey.from_environment()
    with TemporaryDirectory(prefix="hmem-explore-") as folder, ExitStack() as stack:
        if export is not None:
            stack.enter_context(Storing(export, path))
        server.serve(Settings(Path(folder), port=port, recipe=recipe, key=key, only=location), report, local)
