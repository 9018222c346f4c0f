"""The verbs without an event loop, made by ``make sync`` from the modules of the same names.

The files repeat of each docstring its first line; the rest is that of the method each was made from.
"""

from __future__ import annotations

from yesteryear.beliefs import AsyncBeliefs
from yesteryear.engine import AsyncEngine
from yesteryear.memory import AsyncMemory
from yesteryear.rights import AsyncRights
from yesteryear.sync.beliefs import Beliefs
from yesteryear.sync.engine import Engine
from yesteryear.sync.memory import Memory
from yesteryear.sync.rights import Rights

for _ours, _origin in ((Rights, AsyncRights), (Beliefs, AsyncBeliefs), (Memory, AsyncMemory), (Engine, AsyncEngine)):
    for _name, _method in vars(_origin).items():
        _made = vars(_ours).get(_name)
        if _made is not None and _method.__doc__ and not _name.startswith("__"):
            _made.__doc__ = _method.__doc__
