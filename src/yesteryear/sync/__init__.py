"""The verbs without an event loop, made by ``make sync`` from the modules of the same names."""
