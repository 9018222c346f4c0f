"""Secrets in a text: how they look, how they are told, and how they are cut out before anything is stored."""
