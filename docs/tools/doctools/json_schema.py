"""JSON Schemas (draft 7, which TOML editors know) of the configuration and of profiles."""

import json
import tomllib
from dataclasses import fields
from typing import Any

from doctools.config_files import has_default, shown
from shutthebox import validation
from shutthebox.config.profiles import builtins
from shutthebox.config.schema import SECTIONS
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import KEYS
from shutthebox.rules.writer import to_keys
from shutthebox.sections import Key

_DRAFT = "http://json-schema.org/draft-07/schema#"


def of_config() -> str:
    """The schema of config.toml."""
    sections = {
        section: _object({name: _of_key(key) for name, key in keys.items()})
        for section, keys in SECTIONS.items()
    }
    return _text({"$schema": _DRAFT, "title": "Shut the Box: configuration", **_object(sections)})


def of_profiles() -> str:
    """The schema of a profile, which is a file of house rules."""
    meanings = {key.name: key.metadata["meaning"] for key in fields(Profile)}
    defaults = to_keys(Profile(""))
    properties: dict[str, Any] = {
        "like": {
            "description": "A built-in game: start from its keys instead of the defaults.",
            "enum": [profile.name for profile in builtins()],
        }
    }
    for name, check in KEYS.items():
        if not name.startswith("title."):
            properties[name] = {"description": meanings[name], **check.json_schema}
            if isinstance(default := defaults[name], (bool, int, str)) and default != "":
                properties[name]["default"] = default
    properties["title"] = {
        "description": "The shown title, per language.",
        "type": "object",
        "patternProperties": {"^[a-z][a-z]$": validation.text.json_schema},
        "additionalProperties": False,
    }
    return _text({"$schema": _DRAFT, "title": "Shut the Box: rules of a game", **_object(properties)})


def _of_key(key: Key) -> dict[str, Any]:
    found = {"description": key.meaning, **key.check.json_schema}
    if has_default(key):
        found["default"] = tomllib.loads(f"x = {shown(key)}")["x"]
    return found


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
