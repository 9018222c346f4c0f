"""Versions as HTTP knows them: an ETag with each fact and episode, If-Match to change, If-None-Match to look again."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Header

from yesteryear.consolidate.look import FactView
from yesteryear.core.episode import Episode
from yesteryear.errors import InputError, Stale

IfMatch = Annotated[str | None, Header(alias="If-Match", description='ETag of what was looked at, such as `"17"`')]
"""A change is only made where the thing still has this version."""
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="ETag of what is at hand already")]
"""Nothing is sent where the thing still has this version."""
HEADERS = {"ETag": {"description": "Version of what is returned", "schema": {"type": "string"}}}
"""As OpenAPI describes them."""
_MOST_DIGITS = 19
"""Of the highest version that a row can have."""
_TAG = re.compile(r'(W/)?"([^"]*)"')


def etag(found: FactView | Episode) -> dict[str, str]:
    """Return the header that tells the version of a fact or an episode."""
    return {"ETag": f'"{found.version}"'}


def version_to_match(if_match: str | None) -> int | None:
    """Return the version that a change is meant for; None where any will do.

    Raises:
        InputError: it is no ETag, or several.
        Stale: an ETag that nothing has ever had, so it cannot be the present one.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    tag = _TAG.fullmatch(if_match.strip())
    if tag is None:
        raise InputError('If-Match holds one ETag as it was sent, such as "17", or *')
    weak, value = tag.groups()
    if weak or not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
        raise Stale("nothing has that ETag; look at it again, and pass the ETag that comes with it")
    return int(value)


def is_known(if_none_match: str | None, found: FactView) -> bool:
    """Tell whether the caller has this version at hand already."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or str(found.version) in {value for _, value in _TAG.findall(if_none_match)}
