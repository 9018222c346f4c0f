"""The schema, as numbered scripts."""
