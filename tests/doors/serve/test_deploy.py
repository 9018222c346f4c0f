"""What is in ``deploy``, read by the tools of those who will run it; nothing is built or started here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture.tree import ROOT
from yesteryear.cli.app import COMMANDS
from yesteryear.config.settings import PREFIX, SETTINGS

DEPLOY = ROOT / "deploy"
DOCKERFILE = DEPLOY / "Dockerfile"
UNIT = DEPLOY / "yesteryear.service"
HADOLINT = Path(sys.executable).with_name("hadolint")
MOST_EXPOSED = 2.0
"""Of ten, as systemd counts; most services that come with a system have more than nine."""


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile and what follows them, lines that go on joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines) if name]


def compose() -> dict[str, Any]:
    """Return the compose file, its anchors resolved."""
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8")))


def unit() -> Iterator[tuple[str, str]]:
    """Yield the settings of the unit."""
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield name, value


def test_the_dockerfile_has_no_lint() -> None:
    """As hadolint finds it."""
    done = subprocess.run([HADOLINT, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_runs_as_nobody_special() -> None:
    """By number, so that whoever runs it can check; after everything that needs more."""
    last = instructions()[[name for name, _ in instructions()].index("FROM", 1) :]
    users = [rest for name, rest in last if name == "USER"]
    assert users == ["10001"]
    assert [name for name, _ in last].index("USER") > max(i for i, (name, _) in enumerate(last) if name == "RUN")
    assert ("CMD", '["serve"]') in last
    assert any(name == "HEALTHCHECK" and "/health/ready" in rest for name, rest in last)


def test_the_image_holds_the_model_and_no_secret() -> None:
    """Nothing is loaded where it runs; keys come from outside."""
    assert ("RUN", "/app/bin/yesteryear model install") in instructions()
    told = " ".join(rest for name, rest in instructions() if name in ("ENV", "ARG"))
    names = re.findall(rf"{PREFIX}(\w+)=", told)
    assert names
    assert all(not SETTINGS[name.lower()].is_secret for name in names)
    assert not re.search(r"password|secret|token", told, re.IGNORECASE)


def test_the_context_of_the_image_is_what_the_wheel_needs() -> None:
    """All is left out but what is named, so that no memory lands in an image by accident."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    let_in = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    assert let_in == {"LICENSE", "NOTICE", "README.md", "pyproject.toml", "src"}
    assert all((ROOT / name).exists() for name in let_in)


def test_the_composition_has_a_database_an_api_and_a_worker() -> None:
    """The latter two of one image, both after the database; they wait for each other by health, not by luck."""
    services = compose()["services"]
    assert set(services) == {"database", "api", "worker"}
    assert "pgvector" in services["database"]["image"]
    assert services["database"]["healthcheck"]["test"]
    for name, words in (("api", ["serve", "--no-worker"]), ("worker", ["worker"])):
        service = services[name]
        assert service["command"] == words
        assert words[0] in COMMANDS
        assert service["depends_on"]["database"]["condition"] == "service_healthy"
        assert service["build"]["dockerfile"] == "deploy/Dockerfile"
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["environment"]["YESTERYEAR_STORE"].startswith("postgresql://app@database")


def test_the_composition_names_settings_that_exist_and_no_password() -> None:
    """Passwords are asked for by whoever starts it; nothing listens to other machines."""
    services = compose()["services"]
    for service in services.values():
        for name, value in service["environment"].items():
            assert not name.startswith(PREFIX) or name.removeprefix(PREFIX).lower() in SETTINGS
            assert "PASSWORD" not in name or value.startswith("${")
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert not services["database"].get("ports")


def test_the_database_script_is_a_shell_script_and_makes_no_superuser() -> None:
    """``sh`` can read it; the role has a password and no special right."""
    script = DEPLOY / "database.sh"
    subprocess.run(["sh", "-n", script], check=True)
    text = script.read_text(encoding="utf-8")
    assert "CREATE ROLE app LOGIN PASSWORD :'password'" in text
    assert "CREATE EXTENSION vector" in text
    assert not re.search(r"SUPERUSER|BYPASSRLS", text)


def test_the_unit_names_settings_and_a_command_that_exist() -> None:
    """In words that ``yesteryear`` understands."""
    lines = list(unit())
    command = dict(lines)["ExecStart"].split()
    assert command[0].endswith("/bin/yesteryear")
    assert command[1] in COMMANDS
    names = [value.partition("=")[0] for name, value in lines if name == "Environment"]
    assert names
    assert all(name.removeprefix(PREFIX).lower() in SETTINGS for name in names)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_understands_the_unit_and_finds_it_hardened(tmp_path: Path) -> None:
    """Every word of it, with a program that exists in the place of ours."""
    copy = tmp_path / UNIT.name
    text = UNIT.read_text(encoding="utf-8")
    copy.write_text(re.sub("^ExecStart=.*$", f"ExecStart={shutil.which('true')}", text, flags=re.MULTILINE))
    verify = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (verify.returncode, verify.stderr) == (0, "")
    security = ["systemd-analyze", "security", "--offline=true", f"--threshold={int(MOST_EXPOSED * 10)}", copy]
    subprocess.run(security, check=True, capture_output=True)
