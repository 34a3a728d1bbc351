"""The box's own configuration, for services beside it, which start even if it cannot be used."""

import sys

from shutthebox.config.schema import Config, ConfigError, box_config


def own_config_or_default(instead: str) -> Config:
    """The box's own configuration; the built-in one, with a line on stderr, if that cannot be used.

    Args:
        instead: the service's fallback, as in "showing what".
    """
    try:
        return box_config()
    except ConfigError as error:
        print(f"shutthebox: {error}; {instead} the built-in configuration would", file=sys.stderr)
        return Config()
