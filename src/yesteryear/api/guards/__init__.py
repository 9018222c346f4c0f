"""What stands before every door: plain ASGI around an application, so that nothing that streams is held up.

From outside in: it is noted whether a request came over TLS (``encrypted``), it is given a number and its reply headers
(``replies``), what was asked is noted (``watching``), what goes wrong inside is told in general words (``failures``),
and hosts, origins and bodies that are not to be let in are refused, and what says two things at once (``hosts``,
``once``, ``origins``, ``bodies``).
"""
