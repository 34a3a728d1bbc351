"""Made-up rules have every key of a game: nobody can add a key that no generated game and no oracle has."""

import ast
import inspect
from dataclasses import fields
from types import ModuleType

from tests.support import account, generate, oracle

from shutthebox.rules.profile import Profile

NO_RULES = ("name", "titles", "source", "group", "boxes")
"""What a game is called, where it stands, and on which boxes: read by no rule."""

KEYS = {field.name for field in fields(Profile)} - {*NO_RULES}


def nodes(*modules: ModuleType) -> list[ast.AST]:
    return [node for module in modules for node in ast.walk(ast.parse(inspect.getsource(module)))]


def test_every_key_is_in_some_generated_games() -> None:
    drawn = {node.value for node in nodes(generate) if isinstance(node, ast.Constant)}
    drawn |= {node.arg for node in nodes(generate) if isinstance(node, ast.keyword)}
    assert not KEYS - drawn, "keys that no strategy draws"


def test_every_key_is_read_by_the_oracle() -> None:
    read = {node.attr for node in nodes(oracle, account) if isinstance(node, ast.Attribute)}
    assert not KEYS - read, "keys that both leave out"
