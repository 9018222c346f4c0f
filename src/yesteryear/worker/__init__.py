"""Who works: a thread beside the callers, or a process of its own; both do the same."""
