"""Here models are asked themselves: what they promise of their answers is not to be read from a memory of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from weakref import WeakValueDictionary

import pytest

from yesteryear.providers.minilm import weights


@pytest.fixture(scope="package", autouse=True)
def _models_answer_each_time() -> Iterator[None]:
    """Let every question reach a model, and a model that nobody holds be loaded anew."""
    from yesteryear.providers.minilm.embedder import Encoder

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Encoder, "run", inspect.unwrap(Encoder.run))
        patched.setattr(weights, "LOADED", WeakValueDictionary())
        yield
