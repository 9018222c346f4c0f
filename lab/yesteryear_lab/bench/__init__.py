"""Suites that measure this product through its public face, and print figures that can be recomputed."""
