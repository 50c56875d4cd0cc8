"""Talk of the torture: facts, changes, names and small talk, as people write it, in several languages.

Each sentence has a place for the token that tells its turn from all others, where a name or a reference may stand.
"""

import random
from typing import Final

# What people tell: values of typed slots and later other ones, threads about one matter, names, plans, preferences.
_FACTS: Final = (
    "I live in Porto now, says note {token}.",
    "We moved house last week, so I live in Lisbon now, see {token}.",
    "I work at Siemens, as {token} says.",
    "I am working at Bosch now, as of {token}.",
    "My daughter is called Nora. She drew {token}.",
    "I have a cat called Mia. She hid {token} under the sofa.",
    "I've been vegetarian since January, says {token}.",
    "I'm allergic to peanuts, as {token} knows.",
    "My email is ada@sea.org, and my reference is {token}.",
    "My birthday is 14 March, for {token}.",
    "I drive a Fiat Panda. Its plate is {token}.",
    "From now on, call me by {token}.",
    "I prefer tea to coffee, whatever {token} says.",
    "I started to learn the cello in January with {token}.",
    "The cello is hard, but {token} helps me with the bow.",
    "I gave up the cello yesterday, after {token}.",
    "My brother Tom visits us on Friday with {token}.",
    "Tom and Nora went to the zoo in Leeds with {token}.",
    "I have an appointment at the dentist on 3 June, number {token}.",
    "My knee hurts since the marathon of {token}.",
    "The knee is better, says Doctor Hansen of {token}.",
    "We booked the flight to Tokyo, it is {token}.",
    "The flight to Tokyo was cancelled, so {token} is void.",
    "Ich wohne jetzt in Hamburg, siehe {token}.",
    "Meine Schwester Lena hat gestern {token} gekauft.",
    "Meine Schwester Lena zieht im Juni nach Kiel, sagt {token}.",
    "Vivo en Sevilla desde enero, dice {token}.",
    "Mi hermana Carmen trabaja en el hospital con {token}.",
    "J'habite à Lyon avec mon chat, dit {token}.",
    "Mon fils Hugo joue du violon chez {token}.",
    "Moro em Évora e tenho dois cães, diz {token}.",
    "Ho comprato una casa a Torino, dice {token}.",
    "मैं अब {token} के साथ पुणे में रहती हूँ।",
    "मेरा नया नंबर है {token}। ठीक है।",
    "我现在住在上海。编号是 {token}。",
    "来週から京都で働きます。番号は {token} です。",
)  # fmt: skip
_SMALL_TALK: Final = (
    "Thanks, {token}!",
    "Did you hear? {token} is back.",
    "Where is {token}?",
    "ok, see you later, {token}",
    "Nice weather today, isn't it, {token}?",
    "haha {token}",
    "```python\nprint('{token}')\n```",
    "Das ist ja schön, {token}!",
)
_SMALL: Final = 0.2


def sentence(token: str, rng: random.Random) -> str:
    """Return something that a person says, with a token in it."""
    return rng.choice(_SMALL_TALK if rng.random() < _SMALL else _FACTS).format(token=token)
