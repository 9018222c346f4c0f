"""A proxy for chats that speaks as OpenAI's API does and gives the model a memory.

What a client sends goes on to the provider byte for byte, with one block more after its system text; what the provider
answers comes back byte for byte. Both sides are taken down, and nothing that fails here fails the reply.
"""
