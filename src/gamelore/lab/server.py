"""The web application of the lab, and the server that runs it."""

from __future__ import annotations

import contextlib
import mimetypes
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from gamelore.board.style import stylesheet
from gamelore.errors import GameloreError
from gamelore.lab.access import COOKIE, HEADERS, Access
from gamelore.lab.connection import LARGEST_FRAME, TOO_MANY, Connection
from gamelore.lab.schema import make_schema
from gamelore.lab.shared import Lab

STATIC = Path(__file__).parent / "static"
MOST_SOCKETS = 250
USUAL_PORT = 8421
"""Of the lab, if it is free; else any."""

_SWITCHES = 0.001  # seconds that a thread may keep others from running Python
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}


class Guard:
    """Lets in what may come in, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._find_fault(scope)
        if scope["type"] == "websocket":
            if refusal is not None:
                await receive()  # the connect message
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        app = self._app if refusal is None else refusal
        await app(scope, receive, send_with_headers)

    def _find_fault(self, scope: Scope) -> Response | None:
        """Return why a request is refused, if it is."""
        headers, access = Headers(scope=scope), self._access
        host = headers.get("host")
        if not access.allows_host(host):
            return PlainTextResponse("this is not the host you asked for", 421)
        token = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        if scope["type"] == "websocket":
            allowed = access.allows_origin(headers.get("origin"), host)
            allowed = allowed and access.allows_token(token)
            return None if allowed else PlainTextResponse("not from here", 403)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("nothing is written this way", 405)
        if access.allows_token(token):
            return None
        given = Request(scope).query_params.get("token")
        if given is not None and access.allows_token(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, given, httponly=True, samesite="strict")
            return answer
        return PlainTextResponse(
            "open the address that gamelore lab has printed: it has the token", 401
        )


def load_static() -> dict[str, tuple[bytes, str]]:
    """Return every file of the page with its type; no other path leads anywhere."""
    found = {}
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            name = path.relative_to(STATIC).as_posix()
            guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
            found[name] = path.read_bytes(), _TYPES.get(path.suffix, guessed)
    found["board.css"] = stylesheet().encode(), _TYPES[".css"]
    return found


def make_app(lab: Lab, access: Access | None = None) -> ASGIApp:
    """Return the application."""
    files = load_static()
    sockets: set[Connection] = set()

    async def page(request: Request) -> Response:
        return _answer(*files["index.html"])

    async def static(request: Request) -> Response:
        name = request.path_params["path"]
        if name not in files:
            return PlainTextResponse("there is no such file", 404)
        return _answer(*files[name])

    async def schema(request: Request) -> Response:
        return _answer(make_schema(), "application/json")

    async def connect(websocket: WebSocket) -> None:
        if len(sockets) >= MOST_SOCKETS:
            await websocket.close(TOO_MANY)
            return
        await websocket.accept()
        connection = Connection(lab, websocket)
        sockets.add(connection)
        try:
            await connection.serve()
        finally:
            sockets.discard(connection)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await lab.open()
        try:
            yield
        finally:
            await lab.close()

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/schema.json", schema),
            Route("/static/{path:path}", static),
            WebSocketRoute("/ws", connect),
        ],
        lifespan=lifespan,
    )
    return Guard(app, access or Access())


def _answer(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind)


# ── running ─────────────────────────────────────────────────────────────────────────


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def bind(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens; at the usual port if none is named and it is free.

    `GameloreError` where an address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    attempts = (USUAL_PORT, 0) if port is None else (port,)
    for number in attempts:
        try:
            return socket.create_server((host, number), family=family)
        except (OSError, OverflowError) as error:
            if number == attempts[-1]:
                reason = getattr(error, "strerror", None) or str(error)
                raise GameloreError(
                    f"cannot listen on {host}:{number}: {reason.lower()};"
                    " choose another address by --host or --port"
                ) from error
    raise AssertionError("the last attempt returns or raises")


def find_address(bound: socket.socket, access: Access) -> str:
    """Return the address of the page, with the token if there is one."""
    port = bound.getsockname()[1]
    host = access.host
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    token = "" if access.token is None else f"?token={quote(access.token)}"
    return f"http://{shown}:{port}/{token}"


def make_server(
    lab: Lab, access: Access, ready: Callable[[], None] = lambda: None
) -> uvicorn.Server:
    """Return a server; its `run` takes the socket, `should_exit` ends it."""
    config = uvicorn.Config(
        make_app(lab, access),
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws_max_size=LARGEST_FRAME,
        timeout_graceful_shutdown=3,
        server_header=False,
        h11_max_incomplete_event_size=16_384,
    )
    return _Server(config, ready)


def run_server(
    lab: Lab, access: Access, bound: socket.socket, ready: Callable[[], None]
) -> None:
    """Serve until Ctrl-C or SIGTERM; runs are saved, and go on the next time."""
    sys.setswitchinterval(_SWITCHES)
    with contextlib.closing(bound):
        make_server(lab, access, ready).run(sockets=[bound])
