"""Shipped help for tests: builders of messages and talk, for our own tests and for those of adapters."""
