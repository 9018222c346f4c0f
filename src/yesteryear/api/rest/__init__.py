"""The REST door: every verb of a memory as an operation under /v1, described by OpenAPI.

Each operation checks what it was given, calls one verb and answers with its result as JSON. Nothing is decided here.
"""
