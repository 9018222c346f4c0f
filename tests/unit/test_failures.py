"""What the log is told of a failure."""

import logging

import pytest

from yesteryear.errors import InputError, StorageUnavailable
from yesteryear.lifecycle.failures import log_failure

SAID = "I am allergic to nuts"
log = logging.getLogger("yesteryear.tests")


def told(error: Exception, caplog: pytest.LogCaptureFixture, *, level: int = logging.INFO) -> str:
    """Return what is logged of an error that was raised, from a level on."""
    with caplog.at_level(level, log.name):
        try:
            raise error from ValueError(SAID)
        except type(error) as caught:
            log_failure(log, "the work", caught)
    return caplog.text


def test_it_names_what_it_was_why_and_where_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    """They may be somebody's; kinds and calls are ours."""
    text = told(InputError(f"no date: {SAID}"), caplog)
    assert "the work failed: InputError, because of ValueError in test_failures.py:" in text
    assert SAID not in text


def test_words_of_our_own_stay(caplog: pytest.LogCaptureFixture) -> None:
    """They say what to do."""
    assert "StorageUnavailable (free some space), because of ValueError" in told(
        StorageUnavailable("free some space"), caplog
    )


def test_all_of_it_stands_at_debug(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever asks for it gets it."""
    assert SAID in told(InputError("no date"), caplog, level=logging.DEBUG)
