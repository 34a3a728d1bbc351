"""Reading and writing KiCad's s-expressions.

An expression is a list of atoms and lists. An atom is a [str][] as written for a bare word or a number, and a
[Quoted][hwtools.sexpr.Quoted] for a text in quotes.
"""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["Node", "Quoted", "atom", "child", "children", "dumps", "loads"]

Node: TypeAlias = "str | list[Node]"

_TOKEN = re.compile(r'\s*(?:(\()|(\))|("(?:\\.|[^"\\])*")|([^\s()"]+))', re.S)


class Quoted(str):
    """A text that is written in quotes, whatever it contains."""

    __slots__ = ()


def loads(text: str) -> list[Node]:
    """Read one expression.

    Raises:
        ValueError: the brackets do not match or there is nothing to read.
    """
    stack: list[list[Node]] = []
    for match in _TOKEN.finditer(text):
        opening, closing, quoted, bare = match.groups()
        if opening:
            stack.append([])
        elif closing:
            if not stack:
                raise ValueError("a ) too many")
            done = stack.pop()
            if not stack:
                return done
            stack[-1].append(done)
        elif not stack:
            raise ValueError("text before the first (")
        elif quoted:
            inner = quoted[1:-1].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
            stack[-1].append(Quoted(inner))
        else:
            stack[-1].append(bare)
    raise ValueError("a ) is missing")


def _flat(node: Node) -> str:
    if isinstance(node, Quoted):
        return '"' + node.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(node, str):
        return node
    return "(" + " ".join(_flat(item) for item in node) + ")"


def dumps(node: Node, depth: int = 0) -> str:
    """Write an expression, one nested list a line and indented by tabs as KiCad does."""
    flat = _flat(node)
    if isinstance(node, str) or len(flat) + 4 * depth < 90:
        return flat
    head: list[str] = []
    rest: list[str] = []
    for item in node:
        if isinstance(item, str) and not rest:
            head.append(_flat(item))
        else:
            rest.append("\n" + "\t" * (depth + 1) + dumps(item, depth + 1))
    return "(" + " ".join(head) + "".join(rest) + "\n" + "\t" * depth + ")"


def children(node: Node, name: str) -> list[list[Node]]:
    """Return the lists inside *node* that start with *name*."""
    return [item for item in node if isinstance(item, list) and item and item[0] == name]


def child(node: Node, name: str) -> list[Node]:
    """Return the first list inside *node* that starts with *name*.

    Raises:
        KeyError: there is none.
    """
    for item in node:
        if isinstance(item, list) and item and item[0] == name:
            return item
    raise KeyError(name)


def atom(node: Node, name: str, default: str | None = None) -> str:
    """Return the text of ``(name text)`` inside *node*.

    Raises:
        KeyError: it is not there and no default was given.
    """
    try:
        value = child(node, name)[1]
    except KeyError:
        if default is None:
            raise
        return default
    assert isinstance(value, str)
    return str(value)
