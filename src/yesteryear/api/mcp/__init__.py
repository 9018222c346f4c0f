"""The MCP door: the memory as tools, resources and a prompt of any assistant that speaks the Model Context Protocol."""
