"""A stand-in for a model: a server on this machine that speaks the OpenAI wire protocol, for tests and for users."""

from hmem.interfaces.standin.record import Call
from hmem.interfaces.standin.script import DOINGS, Doing, Rule, Script, failing, read_script
from hmem.interfaces.standin.server import StandIn

__all__ = ["Call", "DOINGS", "Doing", "Rule", "Script", "StandIn", "failing", "read_script"]
