"""Reads KiCad's s-expressions.

An expression is a list of atoms and lists. An atom is a [str][]: a word or a number as written, or a text
without its quotes.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Node: TypeAlias = "str | list[Node]"

_TOKEN = re.compile(r'\s*(?:(\()|(\))|("(?:\\.|[^"\\])*")|([^\s()"]+))', re.S)


def loads(text: str) -> list[Node]:
    """Read one expression.

    Raises:
        ValueError: the brackets don't match, or the text is empty.
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
            stack[-1].append(inner)
        else:
            stack[-1].append(bare)
    raise ValueError("a ) is missing")


def children(node: Node, name: str) -> list[list[Node]]:
    """Return the lists in *node* that start with *name*."""
    return [item for item in node if isinstance(item, list) and item and item[0] == name]


def child(node: Node, name: str) -> list[Node]:
    """Return the first list in *node* that starts with *name*.

    Raises:
        KeyError: there is none.
    """
    for found in children(node, name):
        return found
    raise KeyError(name)
