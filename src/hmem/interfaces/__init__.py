"""Interfaces: command line, HTTP server and client, MCP, and the form of exports."""
