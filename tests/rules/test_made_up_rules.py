"""Made-up rules have every key of a game: nobody can add a key that no generated game and no oracle has."""

import ast
import inspect
from dataclasses import MISSING, fields

from hypothesis import HealthCheck, Phase, given, settings
from tests.support import account, oracle
from tests.support.generate import profiles

from shutthebox.rules.profile import Profile

NO_RULES = ("name", "titles", "source", "group", "boxes")
"""What a game is called, where it stands, and on which boxes: read by no rule."""

KEYS = {field.name: field.default for field in fields(Profile) if field.name not in NO_RULES}


def test_every_key_is_in_some_generated_games() -> None:
    seen: set[str] = set()

    @settings(
        max_examples=100,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(profiles())
    def look(profile: Profile) -> None:
        seen.update(key for key, usual in KEYS.items() if usual is MISSING or getattr(profile, key) != usual)

    for _ in range(30):  # mostly two are enough
        if seen >= KEYS.keys():
            break
        look()
    assert not KEYS.keys() - seen, "keys that no strategy draws"


def test_every_key_is_read_by_the_oracle() -> None:
    read = {
        node.attr
        for module in (oracle, account)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Attribute)
    }
    assert not KEYS.keys() - read, "keys that both leave out"
