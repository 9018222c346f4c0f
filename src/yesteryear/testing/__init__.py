"""Shipped help for tests: builders of messages and rows, for our own tests and for those of adapters."""
