"""Run the service: ``python -m examples.conversation_service STORE MODEL_URL MODEL``, on the loopback address."""

from __future__ import annotations

import sys

import uvicorn

import yesteryear
from examples.conversation_service.app import build_service
from yesteryear.api.access import OpenDoor
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.graphql import graphql_router


def main(store: str, url: str, model: str) -> None:
    """Serve until ctrl-C."""
    engine = yesteryear.open_async(store, episode_message_threshold=15, episode_inactivity_minutes=30.0)
    graphql = graphql_router(AuthContext(engine, OpenDoor()))  # anybody on this machine may ask
    uvicorn.run(build_service(engine, (url, model), doors=(graphql,)), host="127.0.0.1", port=8001)


if __name__ == "__main__":
    main(*sys.argv[1:])
