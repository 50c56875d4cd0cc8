"""Interfaces: command line, HTTP server and client, MCP, framework adapters, import formats and Claude Code hooks."""
