"""A lab that runs in a thread, and clients that speak to it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from gamelore.lab.access import Access
from gamelore.lab.server import bind, make_server
from gamelore.lab.shared import Lab
from gamelore.lab.workspace import Workspace

MARKUP = "<img/src=x/onerror=alert[1]><script>alert[2]</script>"
EVIL_RULES = f"""
    (role {MARKUP}) (init (cell 1 1 {MARKUP})) (init (cell 1 2 b))
    (<= (legal {MARKUP} (mark ?r ?c)) (true (cell ?r ?c ?x)))
    (<= (next (cell ?r ?c {MARKUP})) (does {MARKUP} (mark ?r ?c)))
    (<= terminal (true (cell 1 2 {MARKUP})))
    (<= (goal {MARKUP} 100) terminal) (<= (goal {MARKUP} 0) (not terminal))
    """
"""A game whose every name is markup."""
PATIENCE = 100.0
"""Seconds that a test waits for an answer before it fails."""


@dataclass
class Client:
    """A page without a browser."""

    socket: ClientConnection
    last: int = 0
    seen: list[dict[str, Any]] = field(default_factory=list)

    def send(self, kind: str, **fields: Any) -> int:
        self.last += 1
        self.socket.send(json.dumps({"type": kind, "id": self.last, **fields}))
        return self.last

    def receive(self) -> dict[str, Any]:
        event: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
        self.seen.append(event)
        return event

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next event that is wanted."""
        while True:
            event = self.receive()
            if wanted(event):
                return event

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        number = self.send(kind, **fields)
        return self.wait_for(lambda event: event.get("re") == number)

    def state(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next state of a match that is as wanted."""
        return self.wait_for(
            lambda event: event["type"] == "MatchState" and wanted(event)
        )


@dataclass
class RunningLab:
    """A lab that can be connected to."""

    lab: Lab
    port: int
    token: str | None

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"http://{self.host}/"

    def open_socket(self, **headers: str | None) -> ClientConnection:
        """Return a socket; headers that are none are left out."""
        given = {"origin": f"http://{self.host}", **headers}
        origin = given.pop("origin")
        return connect(
            f"ws://{self.host}/ws",
            origin=origin,  # type: ignore[arg-type]
            additional_headers={k: v for k, v in given.items() if v is not None},
            max_size=None,
        )

    @contextmanager
    def client(self) -> Iterator[Client]:
        with self.open_socket() as socket:
            client = Client(socket)
            assert client.receive()["type"] == "Welcome"
            yield client

    def get(
        self, path: str, method: str = "GET", **headers: str
    ) -> http.client.HTTPResponse:
        """Return the answer to a request, read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        given = {"host": self.host, **headers}
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.text = answer.read().decode()  # type: ignore[attr-defined]
        connection.close()
        return answer


@contextmanager
def run_lab(folder: Path, token: str | None = None) -> Iterator[RunningLab]:
    """Run a lab in a thread until the block ends."""
    lab = Lab(Workspace(folder))
    lab.workspace.create()
    access = Access(token=token)
    bound = bind("127.0.0.1", 0)
    server = make_server(lab, access)
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [bound]}, daemon=True
    )
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        assert server.started
        yield RunningLab(lab, bound.getsockname()[1], token)
    finally:
        server.should_exit = True
        thread.join(60)
        bound.close()
        assert not thread.is_alive(), "the lab does not end"
