"""What a request brings to be let in with."""

from __future__ import annotations

from collections.abc import Mapping

from yesteryear.errors import NotAdmitted

_MOST_CHARS = 16_384
"""Longest credential that is looked at; web servers take headers of about that size."""


def read_bearer(headers: Mapping[str, str]) -> str:
    """Return the credential of a request.

    Raises:
        NotAdmitted: there is none.
    """
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    credential = credential.strip()
    if scheme.lower() != "bearer" or not credential or len(credential) > _MOST_CHARS:
        raise NotAdmitted("say who you are: Authorization: Bearer <your key>")
    return credential
