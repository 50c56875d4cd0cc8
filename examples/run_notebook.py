"""Runs a notebook: each cell in its order, in one namespace, as a kernel would, and without one.

    python examples/run_notebook.py examples/notebook.ipynb            run it; an error ends it
    python examples/run_notebook.py examples/notebook.ipynb --write    and keep what the cells show in it

A kernel would bring some thirty packages, for cells of plain Python.
"""

import ast
import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def run(cell: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell and return its outputs: what it prints, and the value of an expression at its end."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - it is our notebook
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        forms = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            forms["text/html"] = lines(value._repr_html_())
        shown.append({"output_type": "execute_result", "data": forms, "metadata": {}, "execution_count": None})
    return shown


def lines(text: str) -> list[str]:
    """Return a text in the form of notebooks: lines with their ends."""
    return text.splitlines(keepends=True)


def main() -> None:
    path = Path(sys.argv[1]).absolute()
    notebook = json.loads(path.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
            for number, cell in enumerate(cells, 1):
                cell["outputs"], cell["execution_count"] = run("".join(cell["source"]), names), number
                for each in cell["outputs"]:
                    if "execution_count" in each:
                        each["execution_count"] = number
        finally:
            os.chdir(before)
    print(f"{path.name}: {len(cells)} cells run")
    if "--write" in sys.argv:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
