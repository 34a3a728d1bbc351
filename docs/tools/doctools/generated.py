"""Files of the project that are made from its code, so that each fact is written down once.

``make generated`` writes them; a test compares them with the code.
"""

import re
from collections.abc import Callable, Mapping

from doctools import PROJECT, commands, config_files, json_schema, reference
from shutthebox.translations import finished_codes, translations
from shutthebox.web.scoreboard.server import AT_REST

_RESTING = "firmware/shutthebox/web/scoreboard/resting.html"


def _resting() -> str:
    """The page that a box at rest has, with its heading in every language."""
    lines = [f'<h2 lang="{code}">{translations()[code](AT_REST)}</h2>\n' for code in finished_codes()]
    page = (PROJECT / _RESTING).read_text(encoding="utf-8")
    return re.sub(r"(<h2.*</h2>\n)+", "".join(lines), page)


FILES: Mapping[str, Callable[[], str]] = {
    "firmware/shutthebox/config/default.toml": config_files.default_toml,
    "firmware/shutthebox/config/config.schema.json": json_schema.of_config,
    "firmware/shutthebox/rules/profile.schema.json": json_schema.of_profiles,
    _RESTING: _resting,
    "docs/reference.md": reference.page,
    "docs/man/shutthebox.1": commands.manual_page,
    "docs/man/shutthebox-config.5": config_files.manual_page,
}
"""Per path in the project how its content is made."""


def write() -> None:
    """Writes all of them."""
    for path, made in FILES.items():
        (PROJECT / path).parent.mkdir(parents=True, exist_ok=True)
        (PROJECT / path).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    write()
