"""Numbered SQL scripts; once released, a script never changes."""
