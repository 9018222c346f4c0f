"""The pages as one router: who is let in, which page answers, and what is said when something goes wrong."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from urllib.parse import unquote

from fastapi import APIRouter
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from yesteryear.api.access import Wish
from yesteryear.api.inspector import words
from yesteryear.api.inspector.pages import episodes, facts, keeping, overview
from yesteryear.api.inspector.visit import (
    KEY_COOKIE,
    ROOT,
    SECURITY_HEADERS,
    TOKEN_COOKIE,
    PageVisit,
    Route,
    check_form,
    find_zone,
    segment,
)
from yesteryear.api.problems import problem_of
from yesteryear.api.reception import Reception
from yesteryear.core.language.unseen import marked
from yesteryear.errors import NotAdmitted, YesteryearError

_TYPES: Mapping[str, str] = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the pages."""

    body: bytes
    media_type: str


def read_assets() -> dict[str, Asset]:
    """Return the files by a name that holds a hash of their content, such as ``style.1f0c9a2b.css``."""
    found = {}
    for file in (files("yesteryear.api.inspector") / "static").iterdir():
        stem, _, kind = file.name.rpartition(".")
        if kind in _TYPES:
            body = file.read_bytes()
            found[f"{stem}.{sha256(body).hexdigest()[:8]}.{kind}"] = Asset(body, _TYPES[kind])
    return found


log = logging.getLogger(__name__)

_ROUTES: tuple[Route, ...] = (*overview.ROUTES, *episodes.ROUTES, *facts.ROUTES, *keeping.ROUTES)
_PEOPLE_A_PAGE = 200
_A_YEAR = "public, max-age=31536000, immutable"

Answer = Callable[[Request], Awaitable[Response]]


def inspector_router(reception: Reception) -> APIRouter:
    """Return the pages to look at a mind, under ``/mind``."""
    front = _Front(reception, read_assets())
    router = APIRouter(include_in_schema=False)
    for path, methods, answer in front.routes():
        router.add_route(path, answer, methods=list(methods))
    return router


class _Front:
    """What all pages share."""

    def __init__(self, reception: Reception, assets: Mapping[str, Asset]) -> None:
        self._reception = reception
        self._assets = assets
        self._templates = _environment(assets)

    def routes(self) -> Iterable[tuple[str, tuple[str, ...], Answer]]:
        """Return path, methods and answer of everything there is."""
        yield f"{ROOT}/static/{{name}}", ("GET",), self._asset
        yield ROOT, ("GET",), self._guarded(self._people)
        yield f"{ROOT}/login", ("GET",), self._guarded(self._login)
        yield f"{ROOT}/login", ("POST",), self._guarded(self._log_in)
        yield f"{ROOT}/logout", ("POST",), self._guarded(self._log_out)
        for route in _ROUTES:
            yield f"{ROOT}/{{user}}{route.path}", (route.method,), self._guarded(self._visited(route))

    async def _asset(self, request: Request) -> Response:
        asset = self._assets.get(str(request.path_params["name"]))
        if asset is None:
            return Response(status_code=HTTPStatus.NOT_FOUND)
        return Response(
            asset.body,
            media_type=asset.media_type,
            headers={"cache-control": _A_YEAR, "x-content-type-options": "nosniff"},
        )

    def _guarded(self, answer: Answer) -> Answer:
        """Return an answer that tells errors as pages, and carries the headers that keep it safe."""

        async def answered(request: Request) -> Response:
            try:
                response = await answer(request)
            except NotAdmitted as error:
                if request.method == "GET" and KEY_COOKIE not in request.cookies:
                    response = RedirectResponse(f"{ROOT}/login", HTTPStatus.SEE_OTHER)
                else:
                    response = self._login_page(request, str(error), HTTPStatus.UNAUTHORIZED)
            except YesteryearError as error:
                response = self._problem(request, error)
            response.headers.update(SECURITY_HEADERS)
            return response

        return answered

    def _visited(self, route: Route) -> Answer:
        async def answer(request: Request) -> Response:
            token = request.cookies.get(TOKEN_COOKIE, "")
            form = await _read_form(request, token) if route.method == "POST" else {}
            wish = Wish(user=unquote(str(request.path_params["user"])))
            memory = await self._reception.memory(_headers(request), route.right, wish=wish)
            visit = PageVisit(
                request=request,
                memory=memory,
                templates=self._templates,
                form=form,
                token=token or secrets.token_urlsafe(32),
                now=self._now(),
                zone=await find_zone(memory),
                has_key=KEY_COOKIE in request.cookies,
            )
            return _with_token(await route.handler(visit), request, visit.token)

        return answer

    def _now(self) -> datetime:
        return self._reception.engine.now()

    async def _people(self, request: Request) -> Response:
        principal = await self._reception.gatekeeper.admit(_headers(request))
        owners = await self._reception.engine.owners()
        names = sorted(owner.user for owner in owners if owner.tenant == principal.tenant)
        if principal.user is not None:
            names = [principal.user]
        if len(names) == 1:
            return RedirectResponse(f"{ROOT}/{segment(names[0])}", HTTPStatus.SEE_OTHER)
        text, after = (request.query_params.get(name, "") for name in ("text", "after"))
        found = [name for name in names if name > after and text.casefold() in name.casefold()]
        following = found[_PEOPLE_A_PAGE - 1] if len(found) > _PEOPLE_A_PAGE else ""
        people = [(name, segment(name)) for name in found[:_PEOPLE_A_PAGE]]
        return self._plain(request, "people", people=people, text=text, after=after, following=following)

    async def _login(self, request: Request) -> Response:
        return self._login_page(request)

    async def _log_in(self, request: Request) -> Response:
        form = await _read_form(request, request.cookies.get(TOKEN_COOKIE, ""))
        key = form.get("key", "").strip()
        await self._reception.gatekeeper.admit({**_headers(request), "authorization": f"Bearer {key}"})
        response = RedirectResponse(ROOT, HTTPStatus.SEE_OTHER)
        _set_cookie(response, request, KEY_COOKIE, key)
        return response

    async def _log_out(self, request: Request) -> Response:
        await _read_form(request, request.cookies.get(TOKEN_COOKIE, ""))
        response = RedirectResponse(f"{ROOT}/login", HTTPStatus.SEE_OTHER)
        response.delete_cookie(KEY_COOKIE, path=ROOT)
        return response

    def _login_page(self, request: Request, problem: str = "", status: int = HTTPStatus.OK) -> Response:
        return self._plain(request, "login", status, problem=problem)

    def _problem(self, request: Request, error: YesteryearError) -> Response:
        problem = problem_of(error)
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log.error("a page failed", exc_info=error)
        return self._plain(request, "problem", problem.status, problem=problem)

    def _plain(self, request: Request, template: str, status: int = HTTPStatus.OK, **values: object) -> Response:
        """Return a page that is about nobody."""
        token = request.cookies.get(TOKEN_COOKIE) or secrets.token_urlsafe(32)
        html = self._templates.get_template(f"{template}.html").render(
            token=token, has_key=KEY_COOKIE in request.cookies, now=self._now(), zone=None, **values
        )
        return _with_token(HTMLResponse(html, status), request, token)


def _shown(value: object) -> object:
    """Return what a page puts in, with what cannot be seen made visible; our own markup as it is."""
    return marked(value) if type(value) is str else value


def _environment(assets: Mapping[str, Asset]) -> Environment:
    made = Environment(
        loader=PackageLoader("yesteryear.api.inspector"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter_ in (words.plain, words.percent, words.number, words.day, words.date, words.clock, words.month, segment):
        made.filters[filter_.__name__] = filter_
    stems = {f"{name.split('.')[0]}.{name.rpartition('.')[2]}": f"{ROOT}/static/{name}" for name in assets}
    made.globals.update(words=words, root=ROOT, asset=stems)
    return made


async def _read_form(request: Request, token: str) -> dict[str, str]:
    """Return the fields of a form that may pass; files are left out."""
    async with request.form(max_files=0) as fields:
        form = {name: value for name, value in fields.multi_items() if isinstance(value, str)}
    check_form(request, form, token)
    return form


def _headers(request: Request) -> dict[str, str]:
    """Return what a gatekeeper is shown: the key that somebody logged in with goes for a header of their own."""
    headers = dict(request.headers)
    if KEY_COOKIE in request.cookies and "authorization" not in headers:
        headers["authorization"] = f"Bearer {request.cookies[KEY_COOKIE]}"
    return headers


def _with_token(response: Response, request: Request, token: str) -> Response:
    if request.cookies.get(TOKEN_COOKIE) != token:
        _set_cookie(response, request, TOKEN_COOKIE, token)
    return response


def _set_cookie(response: Response, request: Request, name: str, value: str) -> None:
    response.set_cookie(name, value, path=ROOT, httponly=True, samesite="strict", secure=request.url.scheme == "https")
