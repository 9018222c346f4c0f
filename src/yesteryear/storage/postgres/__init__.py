"""Rows in PostgreSQL, for many users and several processes."""
