"""Stand-in for a language model: a local server that speaks the OpenAI wire protocol."""

from hmem_testing.fake_llm.script import DOINGS, Call, Doing, ReplyRule, Script, failing, read_script
from hmem_testing.fake_llm.server import StandIn

__all__ = ["Call", "DOINGS", "Doing", "ReplyRule", "Script", "StandIn", "failing", "read_script"]
