"""Shipped help for tests of those who bring an embedder or an analyst: a suite, and builders of messages."""
