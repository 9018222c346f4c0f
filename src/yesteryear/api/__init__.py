"""The doors of the memory: GraphQL, REST, MCP, a proxy for chats and pages to look at a mind.

Each door calls ``Memory`` and decides nothing about memories itself. All of them let callers in at one ``AuthContext``.
"""
