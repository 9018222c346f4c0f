"""The GraphQL door: document A's types, queries and mutations with its names, and all other verbs in the same style.

Resolvers call ``Memory`` and decide nothing. Types are made from what the verbs return, see ``result_types``.
"""

from yesteryear.api.graphql.schema import graphql_router

__all__ = ["graphql_router"]
