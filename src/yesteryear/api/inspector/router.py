"""The pages as one router: who is let in, which page answers, and what is said when something goes wrong."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from yesteryear.api.access import RequestedScope
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.inspector.pages import ROUTES
from yesteryear.api.inspector.visit import (
    KEY_COOKIE,
    ROOT,
    SECURITY_HEADERS,
    TOKEN_COOKIE,
    PageVisit,
    Route,
    read_form,
    segment,
)
from yesteryear.api.problems import problem_of
from yesteryear.api.words import SAID
from yesteryear.core.language.invisible_text import marked
from yesteryear.core.message import BY_HAND, Reason, last_zone
from yesteryear.core.time import local, say_date, say_day, say_month
from yesteryear.errors import NotAdmitted, YesteryearError
from yesteryear.lifecycle.failures import log_failure

_TYPES: Mapping[str, str] = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def read_assets() -> dict[str, tuple[bytes, str]]:
    """Return the files of the pages with their media types, by a name with a hash in it: ``style.1f0c9a2b.css``."""
    found = {}
    for file in (files("yesteryear.api.inspector") / "static").iterdir():
        stem, _, kind = file.name.rpartition(".")
        if kind in _TYPES:
            body = file.read_bytes()
            found[f"{stem}.{sha256(body).hexdigest()[:8]}.{kind}"] = (body, _TYPES[kind])
    return found


log = logging.getLogger(__name__)

_PEOPLE_A_PAGE = 200
_FIGURES, _FEW_FIGURES = 4, 2
"""Figures of a number that are shown, beside those before the point; and of a difference that is hardly known."""
_A_YEAR = "public, max-age=31536000, immutable"

Answer = Callable[[Request], Awaitable[Response]]


def inspector_router(auth_context: AuthContext) -> APIRouter:
    """Return the pages to look at a mind, under ``/mind``."""
    front = _Front(auth_context)
    router = APIRouter(include_in_schema=False)
    for path, method, answer in front.routes():
        router.add_route(path, answer, methods=[method])
    return router


class _Front:
    def __init__(self, auth_context: AuthContext) -> None:
        self._auth_context = auth_context
        self._assets = read_assets()
        self._templates = _environment(self._assets)

    def routes(self) -> Iterable[tuple[str, str, Answer]]:
        """Return path, method and answer of everything there is."""
        yield f"{ROOT}/static/{{name}}", "GET", self._asset
        yield ROOT, "GET", self._guarded(self._people)
        yield f"{ROOT}/login", "GET", self._guarded(self._login)
        yield f"{ROOT}/login", "POST", self._guarded(self._log_in)
        yield f"{ROOT}/logout", "POST", self._guarded(self._log_out)
        for route in ROUTES:
            yield f"{ROOT}/{{user}}{route.path}", route.method, self._guarded(self._visited(route))

    async def _asset(self, request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in self._assets:
            return Response(status_code=HTTPStatus.NOT_FOUND)
        body, media_type = self._assets[name]
        headers = {"cache-control": _A_YEAR, "x-content-type-options": "nosniff"}
        return Response(body, media_type=media_type, headers=headers)

    def _guarded(self, answer: Answer) -> Answer:
        """Return an answer that tells errors as pages, and carries the headers that keep it safe."""

        async def answered(request: Request) -> Response:
            try:
                response = await answer(request)
            except NotAdmitted as error:
                if request.method == "GET" and KEY_COOKIE not in request.cookies:
                    response = RedirectResponse(f"{ROOT}/login", HTTPStatus.SEE_OTHER)
                else:
                    response = self._render(request, "login", HTTPStatus.UNAUTHORIZED, problem=str(error))
            except YesteryearError as error:
                problem = problem_of(error)
                if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    log_failure(log, "a page", error)
                response = self._render(request, "problem", problem.status, problem=problem)
            response.headers.update(SECURITY_HEADERS)
            return response

        return answered

    def _visited(self, route: Route) -> Answer:
        async def answer(request: Request) -> Response:
            form = await read_form(request) if route.method == "POST" else {}
            principal = await self._auth_context.gatekeeper.admit(_headers(request))
            requested = RequestedScope(user=unquote(str(request.path_params["user"])))
            memory = self._auth_context.lend(principal, route.right, requested)
            zone, now = last_zone(await memory.conversations()), self._auth_context.engine.now()
            return await route.handler(PageVisit(request, memory, partial(self._render, request), form, now, zone))

        return answer

    async def _people(self, request: Request) -> Response:
        principal = await self._auth_context.gatekeeper.admit(_headers(request))
        owners = await self._auth_context.engine.owners()
        names = sorted(owner.user for owner in owners if owner.tenant == principal.tenant)
        if principal.user is not None:
            names = [principal.user]
        if len(names) == 1:
            return RedirectResponse(f"{ROOT}/{segment(names[0])}", HTTPStatus.SEE_OTHER)
        text, after = (request.query_params.get(name, "") for name in ("text", "after"))
        found = [name for name in names if name > after and text.casefold() in name.casefold()]
        following = found[_PEOPLE_A_PAGE - 1] if len(found) > _PEOPLE_A_PAGE else ""
        people = [(name, segment(name)) for name in found[:_PEOPLE_A_PAGE]]
        return self._render(request, "people", people=people, text=text, after=after, following=following)

    async def _login(self, request: Request) -> Response:
        return self._render(request, "login", problem="")

    async def _log_in(self, request: Request) -> Response:
        key = (await read_form(request)).get("key", "").strip()
        await self._auth_context.gatekeeper.admit({**_headers(request), "authorization": f"Bearer {key}"})
        response = RedirectResponse(ROOT, HTTPStatus.SEE_OTHER)
        _set_cookie(response, request, KEY_COOKIE, key)
        return response

    async def _log_out(self, request: Request) -> Response:
        await read_form(request)
        response = RedirectResponse(f"{ROOT}/login", HTTPStatus.SEE_OTHER)
        response.delete_cookie(KEY_COOKIE, path=ROOT)
        return response

    def _render(self, request: Request, template: str, status: int = HTTPStatus.OK, /, **values: Any) -> HTMLResponse:
        """Return a page, with what every form on it has to repeat."""
        token = request.cookies.get(TOKEN_COOKIE) or secrets.token_urlsafe(32)
        known = {"zone": None, "now": self._auth_context.engine.now(), "has_key": KEY_COOKIE in request.cookies}
        html = self._templates.get_template(f"{template}.html").render(known | values, token=token)
        response = HTMLResponse(html, status)
        if request.cookies.get(TOKEN_COOKIE) != token:
            _set_cookie(response, request, TOKEN_COOKIE, token)
        return response


def _ground(reason: str, rule: str | None) -> str:
    """Say why the gate kept or skipped something; that somebody asked for it only where a rule saw it."""
    if rule == BY_HAND and reason == Reason.EXPLICIT_REQUEST:
        return "you kept it after all"
    return (SAID["reasons"] if rule else SAID["reasons"] | SAID["guesses"])[reason]


def _plain(name: str) -> str:
    """Return a name of ours in words: ``needs_review`` as "needs review"."""
    return name.replace("_", " ")


def _percent(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


def _number(value: float) -> str:
    """Return a count with thin spaces between thousands."""
    return f"{value:,}".replace(",", "\u2009")


@pass_context
def _day(context: Context, instant: datetime | None) -> str:
    """Say a day, absolutely and as seen from now; a dash for none."""
    return "–" if instant is None else say_day(instant, now=context["now"], zone=context["zone"])


@pass_context
def _date(context: Context, instant: datetime | None) -> str:
    return "–" if instant is None else say_date(instant, zone=context["zone"])


@pass_context
def _clock(context: Context, instant: datetime) -> str:
    return f"{local(instant, context['zone']):%H:%M}"


@pass_context
def _month(context: Context, instant: datetime) -> str:
    return say_month(instant, zone=context["zone"])


def _amount(value: float | None, unit: str = "", *, signed: bool = False) -> str:
    """Say a value with its unit; a dash for none."""
    if value is None:
        return "–"
    figures = _FEW_FIGURES if signed else _FIGURES
    said = f"{value:,.0f}" if abs(value) >= 10 ** (figures - 1) else f"{value:.{figures}g}"
    said = f"+{said}" if signed and value > 0 else said
    return said + unit if unit.startswith("/") else f"{said} {unit}".rstrip()


def _on_day(first: date, last: date | None = None) -> str:
    """Say a day of the calendar, or a stretch of days."""
    days = [say_date(datetime.combine(day, time(), UTC), zone=None) for day in dict.fromkeys((first, last or first))]
    return " to ".join(days)


def _shown(value: object) -> object:
    """Return what a page puts in, with what cannot be seen made visible; our own markup as it is."""
    return marked(value) if type(value) is str else value


def _environment(assets: Iterable[str]) -> Environment:
    made = Environment(
        loader=PackageLoader("yesteryear.api.inspector"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for each in (_plain, _percent, _number, _day, _date, _clock, _month, segment, _amount, _on_day):
        made.filters[each.__name__.removeprefix("_")] = each
    stems = {f"{name.split('.')[0]}.{name.rpartition('.')[2]}": f"{ROOT}/static/{name}" for name in assets}
    made.globals.update(ground=_ground, says=SAID, root=ROOT, asset=stems)
    return made


def _headers(request: Request) -> dict[str, str]:
    """Return what a gatekeeper is shown: the key that somebody logged in with goes for a header of their own."""
    headers = dict(request.headers)
    if KEY_COOKIE in request.cookies and "authorization" not in headers:
        headers["authorization"] = f"Bearer {request.cookies[KEY_COOKIE]}"
    return headers


def _set_cookie(response: Response, request: Request, name: str, value: str) -> None:
    response.set_cookie(name, value, path=ROOT, httponly=True, samesite="strict", secure=request.url.scheme == "https")
