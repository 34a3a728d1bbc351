"""Made-up rules have every key of a game: nobody can add a key that no generated game and no oracle has."""

import ast
import inspect
from collections import Counter
from contextlib import suppress
from dataclasses import fields
from types import ModuleType

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from tests.support import account, generate, oracle

from shutthebox.rules.profile import Profile

KEYS = {field.name for field in fields(Profile)} - {*generate.NO_RULES}


def nodes(*modules: ModuleType) -> list[ast.AST]:
    return [node for module in modules for node in ast.walk(ast.parse(inspect.getsource(module)))]


DEFAULTS = {field.name: field.default for field in fields(Profile)}
ENOUGH = 3
"""Games in which a key is set, of those that one run of the tests compares with the oracle."""


def test_every_key_is_set_in_enough_generated_games() -> None:
    """Games are drawn and counted: a key that a strategy names and never draws is compared with nothing."""
    counts = Counter[str]()

    def count(having: str, most: int) -> None:
        @settings(
            max_examples=most,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
        )
        @given(generate.profiles(most_tiles=5, having=having))
        def draw(profile: Profile) -> None:
            counts.update(key for key in KEYS if getattr(profile, key) != DEFAULTS[key])

        with suppress(Unsatisfiable):
            draw()

    count("", most=60)
    for key in sorted(KEYS):
        if counts[key] < ENOUGH:
            count(key, most=2 * ENOUGH)
    assert [key for key in sorted(KEYS) if counts[key] < ENOUGH] == [], "tests/support/generate.py: draw it"


def test_every_key_is_read_by_the_oracle() -> None:
    read = {node.attr for node in nodes(oracle, account) if isinstance(node, ast.Attribute)}
    assert not KEYS - read, "keys that both leave out"
