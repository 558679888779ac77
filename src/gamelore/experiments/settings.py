"""Settings of experiments: dataclasses that describe themselves."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, get_type_hints


@dataclass(frozen=True)
class Setting:
    """One field of a settings dataclass."""

    name: str
    kind: Any
    """Its type, as annotated."""
    default: Any
    text: str
    """Its docstring, in one line."""


def settings_of(kind: type[Any]) -> list[Setting]:
    """The fields of a settings dataclass, in order."""
    hints = get_type_hints(kind)
    texts = _field_docstrings(kind)
    return [
        Setting(field.name, hints[field.name], field.default, texts.get(field.name, ""))
        for field in fields(kind)
    ]


def _field_docstrings(kind: type[Any]) -> dict[str, str]:
    """The string that follows each annotated field, which Python itself forgets."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    texts = {}
    for field, following in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
            and isinstance(following.value.value, str)
        ):
            texts[field.target.id] = " ".join(following.value.value.split())
    return texts
