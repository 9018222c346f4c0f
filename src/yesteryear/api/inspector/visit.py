"""One request of a browser: whose memory it is about, what a form said, and how to answer."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from yesteryear.api.access import Right
from yesteryear.api.guards import SAFE_HEADERS
from yesteryear.api.verbs import VERBS
from yesteryear.errors import InputError, NotAllowed
from yesteryear.memory.memory import AsyncMemory

ROOT = "/mind"  # where the pages lie
TOKEN_COOKIE = "yesteryear-form"  # noqa: S105 - its name
"""Holds what every form has to repeat; other sites can neither read nor set it."""
KEY_COOKIE = "yesteryear-key"
"""Holds the key that somebody logged in with; no script can read it, and no other site can have it sent."""
SECURITY_HEADERS: Mapping[str, str] = {
    **SAFE_HEADERS,
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
}
"""Of every page: nothing from elsewhere, nothing within a text is run, and no copy is left in the browser."""


def segment(name: str) -> str:
    """Return a name as one part of a path; twice quoted, since a server takes %2F for a slash."""
    return quote(quote(name, safe=""), safe="")


@dataclass(frozen=True, slots=True)
class PageVisit:
    """A request about one person's memory."""

    request: Request
    memory: AsyncMemory
    render: Callable[..., HTMLResponse]  # makes a page of a template, a status and values
    form: Mapping[str, str]  # what a form says; empty for a page that is only looked at
    now: datetime
    zone: str | None  # the person's zone, where one is known

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return self.memory.scope.user

    @property
    def home(self) -> str:
        """Where this person's pages lie."""
        return f"{ROOT}/{segment(self.user)}"

    def asked(self, name: str, default: str = "") -> str:
        """Return a part of the query, trimmed."""
        return self.request.query_params.get(name, default).strip()

    def named(self, name: str) -> str:
        """Return a part of the path."""
        return unquote(str(self.request.path_params[name]))

    def said(self, name: str) -> str:
        """Return a field of the form, trimmed."""
        if name not in self.form:
            raise InputError(f"the form has no field {name!r}; load the page anew")
        return self.form[name].strip()

    def version(self) -> int | None:
        """Return the version that the form was made from."""
        text = self.form.get("version", "")
        if not text:
            return None
        if not text.isdecimal():
            raise InputError("the form's version is no number; load the page anew")
        return int(text)

    def page(self, template: str, status: int = HTTPStatus.OK, /, **values: Any) -> Response:
        """Return a page, of the file ``template`` without ".html", that shows some values."""
        about = {"home": self.home, "user": self.user, "zone": self.zone, "done": self.asked("done")}
        return self.render(template, status, **about, **values)

    def go(self, path: str, *, done: str = "") -> Response:
        """Answer a form: show another page of this person, with a word on what was done, by its name."""
        return RedirectResponse(f"{self.home}{path}{f'?done={done}' if done else ''}", HTTPStatus.SEE_OTHER)


class Route(NamedTuple):
    """A page or a form."""

    method: str
    path: str  # after the person's home
    right: Right
    handler: Callable[[PageVisit], Awaitable[Response]]


def by_hand(
    path: str, verb: str, done: str, *, at: str = "", back: str | None = None, field: str = "", **given: object
) -> Route:
    """Return the form that is the person's word on something, unless somebody else changed it meanwhile.

    It lies at ``at``, which is called as the verb where not given, below the thing itself. The verb takes the id that
    stands in the path, or in a ``field`` of the form, which then lies at the path itself, and what else is ``given``;
    ``back``, else the page of the thing itself, shows the word ``done``.
    """

    async def act(visit: PageVisit) -> Response:
        # What stands in a field has no version: two facts may hold at once whatever became of either.
        name, version = (visit.said(field), None) if field else (visit.named("id"), visit.version())
        said = given if version is None else {**given, "version": version}
        await VERBS[verb].call(visit.memory, {next(iter(VERBS[verb].parameters)): name, **said})
        return visit.go(back or f"{path}/{segment(name)}", done=done)

    return Route("POST", path if field else f"{path}/{{id}}/{at or verb}", VERBS[verb].right, act)


def forgetting(path: str) -> tuple[Route, Route]:
    """Return the page that shows what would be forgotten with something, and the form that forgets it."""

    async def ask(visit: PageVisit) -> Response:
        name = visit.named("id")
        found = await visit.memory.forget(name, dry_run=True)
        return visit.page("forget", found=found, action=f"{path}/{name}/forget", back=path)

    async def forget(visit: PageVisit) -> Response:
        await visit.memory.forget(visit.named("id"))
        return visit.go(path, done="forgotten")

    right, place = VERBS["forget"].right, f"{path}/{{id}}/forget"
    return Route("GET", place, right, ask), Route("POST", place, right, forget)


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form, without files, if it comes from one of our own pages."""
    async with request.form(max_files=0) as fields:
        form = {name: value for name, value in fields.multi_items() if isinstance(value, str)}
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_ours = site in (None, "same-origin") and origin != "null"
    if is_ours and origin is not None:
        is_ours = urlsplit(origin).netloc == request.headers.get("host")
    if not is_ours:
        raise NotAllowed("this form was sent from another site, so nothing was done")
    token = request.cookies.get(TOKEN_COOKIE, "")
    if not token or not hmac.compare_digest(form.get("token", "").encode(), token.encode()):
        raise NotAllowed("this form is too old, so nothing was done: load the page anew and send it again")
    return form
