"""Measure the lab: clicks with a search running, pages that watch, weight, first paint.

    python benchmarks/lab.py [--clicks 200] [--watchers 50] [--no-browser]

It opens a lab of its own on this machine. A click is timed in the page, from the event
on the cell to the next frame in which the board shows the move, while another page has
a search running. Without a browser, it is timed at the socket.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
CLICK = """async () => {
  const shown = () => document.querySelectorAll('.ply-button').length;
  const before = shown();
  const cell = document.querySelector('.board .live');
  if (!cell) return null;
  const began = performance.now();
  cell.dispatchEvent(new MouseEvent('click', {bubbles: true}));
  while (shown() === before && performance.now() - began < 5000)
    await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clicks", type=int, default=200)
    parser.add_argument("--watchers", type=int, default=50)
    parser.add_argument("--no-browser", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "gamelore", "lab", "--no-browser"),
                *("--port", str(port), "--folder", folder),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            server.stdout.readline()
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            measure_watchers(port, options.watchers)
            measure_sockets(port, options.clicks)
            if not options.no_browser:
                measure_browser(port, options.clicks)
        finally:
            server.terminate()
            server.wait(30)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


class Page:
    """A page without a browser."""

    def __init__(self, port: int, stack: ExitStack) -> None:
        host = f"127.0.0.1:{port}"
        self.socket: ClientConnection = stack.enter_context(
            connect(f"ws://{host}/ws", origin=f"http://{host}", max_size=None)  # type: ignore[arg-type]
        )
        self.last = 0

    def send(self, kind: str, **fields: Any) -> int:
        self.last += 1
        self.socket.send(json.dumps({"type": kind, "id": self.last, **fields}))
        return self.last

    def wait_for(self, wanted: Any) -> dict[str, Any]:
        while True:
            event: dict[str, Any] = json.loads(self.socket.recv(timeout=60))
            if wanted(event):
                return event

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        number = self.send(kind, **fields)
        return self.wait_for(lambda event: event.get("re") == number)

    def open(self, game: str, roles: tuple[str, str]) -> str:
        players = dict.fromkeys(roles, "person")
        opened = self.ask("OpenMatch", game=game, players=players)
        return str(opened["match"])


def measure_watchers(port: int, number: int) -> None:
    """Say how long a move takes to reach all pages that watch a match."""
    with ExitStack() as stack:
        player = Page(port, stack)
        match = player.open("connect-four", ("red", "yellow"))
        watchers = [Page(port, stack) for _ in range(number)]
        for watcher in watchers:
            watcher.ask("FollowMatch", match=match)
        took = []
        for step in range(20):
            role = ("red", "yellow")[step % 2]
            began = time.perf_counter()
            move = f"(drop {step % 7 + 1})"
            player.send("PlayMove", match=match, role=role, move=move, step=step)
            for watcher in watchers:
                watcher.wait_for(
                    lambda event, step=step: (
                        event["type"] == "MatchState" and len(event["moves"]) > step
                    )
                )
            took.append(1000 * (time.perf_counter() - began))
    show(f"a move to all of {number} pages", took)


def measure_sockets(port: int, clicks: int) -> None:
    """Say how long a move takes at the socket, with a search running beside it."""
    with ExitStack() as stack:
        searcher, player = Page(port, stack), Page(port, stack)
        search_for_ever(searcher)
        took: list[float] = []
        while len(took) < clicks:
            match = player.open("tictactoe", ("x", "o"))
            player.send("FollowMatch", match=match)
            for step in range(5):
                role, row = ("x", "o")[step % 2], step % 3 + 1
                move = f"(mark {row} {1 + step // 3})"
                began = time.perf_counter()
                player.send("PlayMove", match=match, role=role, move=move, step=step)
                player.wait_for(
                    lambda event, step=step: (
                        event["type"] == "MatchState" and len(event["moves"]) > step
                    )
                )
                took.append(1000 * (time.perf_counter() - began))
    show("a move at the socket, with a search", took)


def search_for_ever(page: Page) -> None:
    """Have a page search, and take what it is sent."""
    place = {"game": "connect-four", "moves": []}
    page.ask("Analyse", place=place, seconds=600)

    def drain() -> None:
        try:
            while True:
                page.socket.recv(timeout=60)
        except Exception:  # the benchmark is over
            return

    threading.Thread(target=drain, daemon=True).start()


def measure_browser(port: int, clicks: int) -> None:
    """Say how a page in Chromium feels: paint, weight, clicks with a search."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("GAMELORE_CHROMIUM") or shutil.which("chromium")
    if path is None:
        print("no chromium: the page in a browser is not measured")
        return
    address = f"http://127.0.0.1:{port}/"
    with sync_playwright() as driver, ExitStack() as stack:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        paints, weights = [], {}
        for part in ("play", "write"):
            for _ in range(3):
                page = browser.new_page()
                sizes: list[int] = []
                page.on(
                    "response",
                    lambda answer, sizes=sizes: sizes.append(measure_size(answer)),
                )
                page.goto(f"{address}#/{part}")
                page.wait_for_selector(".board svg", timeout=60_000)
                paints.append(
                    page.evaluate(
                        "performance.getEntriesByName('first-contentful-paint')[0]"
                        ".startTime"
                    )
                )
                weights[part] = sum(sizes)
                page.close()
        show("first contentful paint", paints)
        for part, weight in weights.items():
            print(f"{'weight of ' + part:<38} {weight / 1000:6.0f} kB")
        search_for_ever(Page(port, stack))
        took = []
        page = browser.new_page()
        while len(took) < clicks:
            page.goto(f"{address}#/play")
            page.wait_for_selector("#player-1")
            page.evaluate("localStorage.setItem('players', '[\"person\", \"person\"]')")
            page.reload()
            page.wait_for_selector("#player-1")
            page.click("text=Start the match")
            page.wait_for_selector(".match .board .live", timeout=60_000)
            for _ in range(5):
                found = page.evaluate(CLICK)
                if found is not None:
                    took.append(found)
        show("a click to the board, with a search", took)
        browser.close()


def measure_size(answer: Any) -> int:
    try:
        return len(answer.body())
    except Exception:  # a redirect has none
        return 0


def show(label: str, milliseconds: list[float]) -> None:
    """Print the median, the 95th percentile and the worst."""
    middle, high = np.percentile(milliseconds, [50, 95])
    print(
        f"{label:<38} median {middle:6.1f} ms   95% {high:6.1f} ms"
        f"   worst {max(milliseconds):6.1f} ms   ({len(milliseconds)})"
    )


if __name__ == "__main__":
    main()
