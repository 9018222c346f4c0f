"""Rows in several stores, each owner whole in one of them."""
