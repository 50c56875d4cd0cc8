"""Write the table of lemmas of English: forms of verbs, nouns and adjectives that differ from their base form.

The source is the data of spacy-lookups-data (MIT), the folder ``spacy_lookups_data/data`` of its installation.
"""

import argparse
import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

# Forms whose entry of the source is missing, or is the rarer reading: "found" is of "find", and not of "found".
_VERBS: Final = {
    **dict.fromkeys(("is", "am", "are", "was", "were", "been", "being"), "be"),
    **dict.fromkeys(("has", "had", "having"), "have"),
    **dict.fromkeys(("does", "did", "done", "doing"), "do"),
    **dict.fromkeys(("got", "gotten"), "get"),
    "left": "leave", "found": "find", "felt": "feel", "saw": "see", "ground": "grind", "wound": "wind", "lay": "lie",
}  # fmt: skip


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lookups", type=Path, help="folder of en_lemma_{lookup,exc,index}.json.gz")
    parser.add_argument("out", type=Path, help="lemmas.json.gz")
    arguments = parser.parse_args()
    made = table(*(_read(arguments.lookups / f"en_lemma_{name}.json.gz") for name in ("lookup", "exc", "index")))
    text = json.dumps(made, separators=(",", ":"), sort_keys=True)
    arguments.out.write_bytes(gzip.compress(text.encode(), mtime=0))
    print({part: len(forms) for part, forms in made.items()})


def table(lookup: Mapping[str, str], exceptions: Mapping[str, Any], index: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lemma of each form that has another one, by part of speech."""
    verbs, nouns = set(index["verb"]), set(index["noun"])
    changed = [(form, base) for form, base in lookup.items() if form != base and form.isalpha() and form.islower()]
    found = {
        "verb": _irregular(exceptions["verb"]) | _regular(changed, verbs) | _VERBS,
        "noun": _irregular(exceptions["noun"]) | _regular(changed, nouns, ending="s"),
        "adj": _irregular(exceptions["adj"]),
    }
    return {
        part: {form: base for form, base in forms.items() if part != "verb" or form != base}
        for part, forms in found.items()
    }


def _irregular(exceptions: Mapping[str, list[str]]) -> dict[str, str]:
    return {form: bases[0] for form, bases in exceptions.items() if form.isalpha()}


def _regular(changed: Iterable[tuple[str, str]], known: set[str], ending: str = "") -> dict[str, str]:
    return {form: base for form, base in changed if base in known and form.endswith(ending)}


def _read(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


if __name__ == "__main__":
    main()
