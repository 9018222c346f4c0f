"""Adapters of the Store port. They know ports and core, and not each other."""
