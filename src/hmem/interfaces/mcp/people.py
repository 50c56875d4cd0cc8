"""Profiles of the people in a memory, for a tool, a resource and a prompt."""

import hmem


def profiles(memory: "hmem.MemoryLike", speaker: str | None = None, user: str | None = None) -> "list[hmem.Profile]":
    """Return the profile of a speaker, or of everyone of whom something is known."""
    if speaker is not None:
        people: list[tuple[str | None, str | None]] = [(speaker, user)]
    else:
        # A recipe without personas still has the profile of the person who said most.
        people = [(persona.speaker, persona.user) for persona in memory.personas(user=user)] or [(None, user)]
    candidates = [memory.profile(name, user=owner) for name, owner in people]
    return [profile for profile in candidates if profile.lines]
