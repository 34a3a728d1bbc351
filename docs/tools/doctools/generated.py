"""Files of the project that are made from its code, so that each fact is written down once.

``make generated`` writes them; a test compares them with the code.

Completion is written with them, but differs between versions of shtab: tests try it in the shells.
"""

import re
import sys
from collections.abc import Callable, Mapping

from doctools import PROJECT, commands, completions, config_files, diagram, json_schema, reference
from shutthebox.translations import ENGLISH, finished_codes, languages, translations
from shutthebox.web.scoreboard.folder import AT_REST

_RESTING = "firmware/shutthebox/web/scoreboard/resting.html"


def _resting() -> str:
    """The page that a box at rest has, with its heading in every language."""
    lines = [f'<h2 lang="{code}">{translations()[code](AT_REST)}</h2>\n' for code in finished_codes()]
    page = (PROJECT / _RESTING).read_text(encoding="utf-8")
    return re.sub(r"(<h2.*</h2>\n)+", "".join(lines), page)


_LOCALE = PROJECT / "firmware/shutthebox/locale"

_HOME_ASSISTANT = """

home-assistant.toml:

[home_assistant]
host = "homeassistant.local"
username = "box"
password = "..."
"""


def _card_page() -> str:
    """What the card tells its owner; each language has its part in its folder."""
    parts = ["Shut the Box\n"]
    for code, name in languages().items():
        folder = _LOCALE if code == ENGLISH else _LOCALE / code
        page = folder / "card.txt"
        if not page.exists():
            sys.exit(
                f"{page.relative_to(PROJECT)}: missing; a finished language has its part of the card's README"
            )
        parts.append(f"{name.upper()}\n\n{page.read_text(encoding='utf-8')}")
    return "\n".join(parts) + _HOME_ASSISTANT


FILES: Mapping[str, Callable[[], str]] = {
    "firmware/shutthebox/config/default.toml": config_files.default_toml,
    "firmware/shutthebox/config/config.schema.json": json_schema.of_config,
    "firmware/shutthebox/rules/profile.schema.json": json_schema.of_profiles,
    _RESTING: _resting,
    "packaging/image/boot/card/README.txt": _card_page,
    "docs/reference.md": reference.page,
    "firmware/shutthebox/ARCHITECTURE.md": diagram.architecture,
    "docs/man/shutthebox.1": commands.manual_page,
    "docs/man/shutthebox-config.5": config_files.manual_page,
}
"""Per path in the project how its content is made."""


def write() -> None:
    """Writes all of them."""
    for path, made in FILES.items():
        (PROJECT / path).parent.mkdir(parents=True, exist_ok=True)
        (PROJECT / path).write_text(made(), encoding="utf-8")
    completions.write()


if __name__ == "__main__":
    write()
