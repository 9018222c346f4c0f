"""Let the shipped conformance suites explain their failures as tests of our own do."""

import pytest

for name in ("store", "queue", "talk", "belief", "forgetting", "visibility", "embedder"):
    pytest.register_assert_rewrite(f"yesteryear.testing.{name}_conformance")
