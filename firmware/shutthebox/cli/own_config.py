"""The configuration of a command: the file of its option --config, or the box's own."""

import argparse
import sys
from pathlib import Path

from shutthebox.config import schema
from shutthebox.config.schema import (
    Config,
    ConfigError,
    HiddenConfigError,
    box_config,
    read_config,
    with_files_beside,
)


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option --config."""
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")


def load_config(file: Path | None) -> Config:
    """Loads the configuration from this file, or the box's own.

    Raises:
        ConfigError: if it can't be used.
    """
    return read_config(file) if file else box_config()


def load_config_or_default(file: Path | None, instead: str) -> Config:
    """The same for services beside the box, which start even if the box's own configuration is bad.

    They then fall back to the built-in one and say so on stderr.

    Args:
        file: the file given as an option; a bad one is an error.
        instead: what the service falls back to, as in "showing what".
    """
    try:
        return load_config(file)
    except ConfigError as error:
        if file:
            raise
        print(f"shutthebox: {error}; {instead} the built-in configuration would", file=sys.stderr)
        return Config()


def load_games_config() -> Config:
    """The box's own configuration for a command that everybody may run: for its house rules and its language.

    Where only root can read it, the house rules beside it still count, and stderr says so.

    Raises:
        ConfigError: if it can't be used.
    """
    try:
        return box_config()
    except HiddenConfigError as error:
        print(f"shutthebox: {error} to use your settings", file=sys.stderr)
        return with_files_beside(Config(), schema.CONFIG_FILE.parent)
