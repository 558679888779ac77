"""Ports: bound at once, listened on later."""

from __future__ import annotations

import socket

import pytest

from gamelore.errors import GameloreError
from gamelore.ggp.net.connection import bound_socket, listen


def test_of_two_that_want_a_port_the_second_cannot_listen() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with bound_socket("127.0.0.1", port) as second:  # nobody listens there yet
            listen(first)
            with pytest.raises(GameloreError, match="somebody listens there already"):
                listen(second)


def test_a_port_that_somebody_listens_on_cannot_be_bound() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        listen(first)
        port = first.getsockname()[1]
        with pytest.raises(GameloreError, match=f"cannot listen on 127.0.0.1:{port}"):
            bound_socket("127.0.0.1", port)


def test_connections_are_refused_until_somebody_listens() -> None:
    with bound_socket("127.0.0.1", 0) as sock:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(sock.getsockname())
        listen(sock)
        socket.create_connection(sock.getsockname()).close()
