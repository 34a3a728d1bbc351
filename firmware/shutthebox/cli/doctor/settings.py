"""Doctor checks of what the owner has written: settings, house rules, and what the card says of its files."""

from collections.abc import Iterator

from shutthebox.cli.doctor.result import CheckResult, failed, passed
from shutthebox.config.schema import CONFIG_FILE, Config, secrets_for_all
from shutthebox.config.settings_loader import DEFAULT_LEVERS, broken_rules, settings_for, try_config
from shutthebox.errors import ShutTheBoxError
from shutthebox.owner import notices

REMEDY = "sudo systemctl restart shutthebox"
"""What takes the box's files with secrets from the other users: its start does."""


def check_settings(config: Config) -> Iterator[CheckResult]:
    """Whether the box plays with the owner's settings and house rules."""
    where = str(CONFIG_FILE) if CONFIG_FILE.exists() else "the configuration"
    try:
        try_config(config, where)
        settings_for(config, config.box.levers or DEFAULT_LEVERS, where)
    except ShutTheBoxError as error:
        yield failed("settings", f"{error}; until it's corrected, the box plays with its built-in game")
    else:
        yield passed("settings", f"good; the game is {config.game.profile}")
    for path in secrets_for_all(config):
        yield failed("secrets", f"{path}: everybody here can read it: {REMEDY}")
    for broken in broken_rules(config):
        yield failed("house rules", f"{broken}; the box plays without them")
    for notice in notices.notices():
        if notice == notices.NEW_VERSION.text:
            yield passed("card", notice)
        else:
            yield failed("card", f"{notice}: docs/wrong.md says what to do")
