"""The verbs of a memory, and the engine that lends memories."""
