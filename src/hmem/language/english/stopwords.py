"""Stop words of questions and texts.

Besides function words these are the scaffolding of questions ("how many", "what kind of", "the total number of", "in
what order"), which occurs everywhere in a memory and selects nothing.
"""

from typing import Final

_FUNCTION: Final = """
a about above across after afterwards again against all almost alone along already also although always am among an
and another any anybody anyone anything anywhere are aren as at away back be because been before being below between
both but by came can could couldn d did didn do does doesn doing don done down during each either else ever every
everyone everything few for from further get gets getting give given gave go goes going gone got had hadn has hasn
have haven having he her here hers herself him himself his how however i if in into is isn it its itself just keep
know let like likely ll m made make makes many may maybe me might mine more most much must my myself need never new
no nobody none nor not nothing now o of off often on once one ones only onto or other others our ours ourselves out
over own perhaps please put quite rather re really s same say said says see seem seems shall she should shouldn
since so some somebody someone something sometimes somewhere soon still such sure t take tell than that the their
theirs them themselves then there these they thing things think this those though through thus till to together too
toward towards try trying two under until up upon us use used ve very via want was wasn way we well went were weren
when whenever where wherever whether while will with within without won would wouldn yes yet you your yours yourself
yourselves
"""

_QUESTION: Final = """
what whatever which who whoever whole whom whose why ask asked name named kind kinds type types total number amount
count different many times order earliest latest currently current recently recent past ago
"""

STOP_WORDS: Final = frozenset(_FUNCTION.split()) | frozenset(_QUESTION.split())

FIRST_PERSON: Final = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})
