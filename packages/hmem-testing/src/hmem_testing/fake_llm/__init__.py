"""A stand-in for a model: a server on this machine that speaks the OpenAI wire protocol, for tests and for users."""

from hmem_testing.fake_llm.script import DOINGS, Call, Doing, ReplyRule, Script, failing, read_script
from hmem_testing.fake_llm.server import StandIn

__all__ = ["Call", "DOINGS", "Doing", "ReplyRule", "Script", "StandIn", "failing", "read_script"]
