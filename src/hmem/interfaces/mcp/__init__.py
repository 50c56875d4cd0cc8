"""MCP server: a memory for any agent, by the Model Context Protocol."""
