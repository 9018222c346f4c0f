"""Who may do what: pure, for every door alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol

from yesteryear.core.access.keys import Right as Right  # noqa: PLC0414 - passed on to the doors
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError, NotAdmitted, NotAllowed

USER_HEADER = "x-yesteryear-user"  # whose memory; needed where the caller may speak for more than one person
PROJECT_HEADER = "x-yesteryear-project"
AGENT_HEADER = "x-yesteryear-agent"
IDENTITY_HEADERS = ("authorization", USER_HEADER, PROJECT_HEADER, AGENT_HEADER)
"""Headers that decide whose memory is reached."""
PEER_HEADER = "x-yesteryear-peer"
"""The address that a request comes from; set by ``guards.RequestGuard``, whatever the caller wrote there."""
ANONYMOUS = "anybody on this machine"  # what a caller is called who need not say who they are
_PASSED_ON = frozenset(
    "forwarded via x-real-ip x-client-ip client-ip true-client-ip x-cluster-client-ip x-remote-addr x-remote-ip "
    "remote-addr x-connecting-ip x-proxyuser-ip proxy-client-ip wl-proxy-client-ip cdn-loop x-scheme x-url-scheme "
    "front-end-https x-forwarder-for x-http-host-override x-coming-from x-varnish x-request-start".split()
)
_PASSED_ON_STARTS = tuple(
    "x-forwarded x-forward- x-original- x-proxy x-envoy- x-arr- x-azure- x-appgw- x-appengine- x-amzn- x-amz-cf- "
    "cloudfront- cf- fly- fastly- akamai- x-akamai- x-edge- x-cdn- x-sucuri- incap- x-vercel- x-nf- x-railway- "
    "x-render- x-ngrok- ngrok- tailscale- x-traefik- x-haproxy- x-nginx- x-ingress- ssl-client- x-ssl- x-tls-".split()
)
"""Headers by which what passes a request on says so, by their names and how they begin. Each is a sign that the caller
may be on another machine; one sign too many costs a key, one too few everything."""


@dataclass(frozen=True, slots=True)
class RequestedScope:
    """Whose memory a caller asks for; each part None where they leave it open."""

    user: str | None = None
    project: str | None = None
    agent: str | None = None

    @classmethod
    def of_headers(cls, headers: Mapping[str, str]) -> RequestedScope:
        """Return what the headers of a request ask for; their names are in lower case."""
        asked = (headers.get(name) for name in (USER_HEADER, PROJECT_HEADER, AGENT_HEADER))
        return cls(*(None if value is None else read_header(value) for value in asked))


def read_header(value: str) -> str:
    """Return what a header says, read as UTF-8 where that is what was sent.

    Servers hand on the bytes of a header as Latin-1, while most clients write a name such as Zoë in UTF-8. What is no
    UTF-8, as browsers send it, is left as it is, and so is what never was a header.
    """
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who was let in."""

    name: str
    """What logs and the audit call them: ``key:`` and the id of a key, or ``sub:`` and the subject of a token, never
    the secret."""
    tenant: str  # the only tenant whose memories they reach
    user: str | None  # the only person whose memory they reach; None for every person of the tenant
    right: Right  # the most that they may do

    def scope(self, requested: RequestedScope, right: Right) -> Scope:
        """Return the scope that is asked for, if they may do there what ``right`` names."""
        if right > self.right:
            raise NotAllowed(f"this takes the right to {right.name.lower()}; yours is to {self.right.name.lower()}")
        if self.user is not None and requested.user not in (None, self.user):
            raise NotAllowed("this key is for the memory of another person")
        user = self.user or requested.user
        if user is None:
            raise InputError(f"whose memory? name the person in the header {USER_HEADER.title()}")
        return Scope(tenant=self.tenant, user=user, project=requested.project, agent=requested.agent)


class Gatekeeper(Protocol):
    """Lets callers in."""

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who sends a request with these headers; their names are in lower case.

        Raises:
            NotAdmitted: they did not say who they are, or it is not so, or not any more; the message never tells which
                keys exist.
            TooMany: they knock too often.
        """


_SET_AUTH = (
    "this server asks nobody who they are. Set auth=on (YESTERYEAR_AUTH=on, or in yesteryear.toml), make a key with "
    "`yesteryear key create` and send it as Authorization: Bearer <key>"
)


@dataclass(frozen=True, slots=True)
class OpenDoor:
    """Lets everybody in, as one tenant: for a server that listens on the loopback address alone."""

    tenant: str = "default"
    right: Right = Right.ADMIN

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return the same principal for every request, unless a proxy may have passed it on.

        To a proxy this door is on this machine, to its callers it is not.
        """
        if any(name in _PASSED_ON or name.startswith(_PASSED_ON_STARTS) for name in map(str.lower, headers)):
            raise NotAdmitted(f"a proxy has passed this request on, perhaps from another machine; {_SET_AUTH}")
        host = headers.get("host")
        if host is not None and not is_loopback_name(host):
            raise NotAdmitted(f"this request is for another name than localhost, as behind a proxy; {_SET_AUTH}")
        return Principal(ANONYMOUS, self.tenant, None, self.right)


def host_name(host: str) -> str:
    """Return a host without its port, in lower case; an IPv6 address keeps its brackets."""
    bare, sign, port = host.lower().rpartition(":")
    return bare if sign and port.isdecimal() else host.lower()


def is_loopback_name(host: str) -> bool:
    """Tell whether the host of a request, with or without its port, is this machine for whoever asks."""
    name = host_name(host).strip("[]")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


_MOST_CHARS = 16_384  # longest credential that is looked at; web servers take headers of about that size


def read_bearer(headers: Mapping[str, str]) -> str:
    """Return the credential of a request, if there is one."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    credential = credential.strip()
    if scheme.lower() != "bearer" or not credential or len(credential) > _MOST_CHARS:
        raise NotAdmitted("say who you are: Authorization: Bearer <your key>")
    return credential
