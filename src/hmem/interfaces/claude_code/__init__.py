"""What an agent's program calls at the turns of a session: recall into it, capture out of it, never in its way."""
