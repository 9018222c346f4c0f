"""The verbs without an event loop: those of ``memory``, run to their end on the caller's thread.

What type checkers and editors see of them stands in stubs, which ``make sync`` makes from ``memory``.
"""
