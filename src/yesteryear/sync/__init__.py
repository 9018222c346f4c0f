"""The verbs without an event loop: those of ``memory``, run to their end on the caller's thread."""
