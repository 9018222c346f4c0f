"""The MCP door: the memory as tools, resources and a prompt of any assistant that speaks the Model Context Protocol.

``stdio.serve_stdio`` serves one assistant on this machine, ``http.mcp_app`` many over HTTP. ``tools.TOOLS`` is the one
list of what is offered; what takes a scope gets it from flags, headers or the address, never from what a model passes.
"""
