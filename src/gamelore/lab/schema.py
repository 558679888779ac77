"""The JSON schema of all messages, which the page reads and checks by."""

from __future__ import annotations

from functools import cache
from typing import get_args

import msgspec

from gamelore.lab.events import AnyEvent
from gamelore.lab.requests import AnyRequest


@cache
def make_schema() -> bytes:
    """Return the schema: the names of requests and events, and all components."""
    (requests, events), components = msgspec.json.schema_components(
        [AnyRequest, AnyEvent], ref_template="#/components/{name}"
    )
    return msgspec.json.encode(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "request": requests,
            "event": events,
            "requests": [one.__name__ for one in get_args(AnyRequest)],
            "events": [one.__name__ for one in get_args(AnyEvent)],
            "components": components,
        }
    )
