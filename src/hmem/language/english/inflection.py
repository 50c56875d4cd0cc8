"""Irregular English verb forms: "went" is a form of "go"."""

from functools import lru_cache
from typing import Final

from hmem.language.english.wording import bare, stem

# A base form, then its irregular forms.
_FORMS: Final = """
be am is are was were been being|have has had having|do does did done doing|go goes went gone going|get got gotten
make made|take took taken|come came|see saw seen|say said|know knew known|think thought|find found|give gave given
tell told|become became|leave left|feel felt|bring brought|begin began begun|keep kept|hold held|write wrote written
stand stood|hear heard|mean meant|meet met|run ran|pay paid|sit sat|speak spoke spoken|lead led|grow grew grown
lose lost|fall fell fallen|send sent|build built|understand understood|draw drew drawn|break broke broken|spend spent
rise rose risen|drive drove driven|buy bought|wear wore worn|choose chose chosen|eat ate eaten|sleep slept|teach taught
catch caught|win won|swim swam swum|sing sang sung|fly flew flown|forget forgot forgotten|hide hid hidden
ride rode ridden|shake shook shaken|shoot shot|sell sold|seek sought|steal stole stolen|stick stuck|throw threw thrown
wake woke woken|fight fought|feed fed|freeze froze frozen|hang hung|lend lent|blow blew blown|bite bit bitten
drink drank drunk|dig dug|lie lay lain|tear tore torn|swear swore sworn|strike struck|show shown|deal dealt|light lit
"""


@lru_cache(maxsize=1)
def _bases() -> dict[str, str]:
    rows = [row.split() for line in _FORMS.splitlines() for row in line.split("|") if row.strip()]
    return {form: forms[0] for forms in rows for form in forms}


@lru_cache(maxsize=1)
def _bases_by_stem() -> dict[str, str]:
    """Return the base forms by their stems, for their regular forms: "making" is a form of "make"."""
    return {stem(form): base for base in _bases().values() for form in (base, f"{base}ing")}


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """Return the root of a word, equal for all its forms: ``go`` for "went", "goes" and "going"."""
    plain = bare(word)
    if plain in _bases():
        return _bases()[plain]
    cut = stem(plain)
    return cut if cut == plain else _bases_by_stem().get(cut, cut)
