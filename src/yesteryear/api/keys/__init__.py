"""Who knocks: API keys, tokens of an identity provider, and how often somebody may knock.

Each gate is a ``Gatekeeper``; ``bootstrap.doors`` puts them one behind the other.
"""
