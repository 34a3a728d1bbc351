"""House rules that are given on the page: checked as those of a config, and taken as the game of the box."""

from pathlib import Path

from shutthebox.config.profiles import from_text
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import shown_path
from shutthebox.game.inputs import RulesGiven
from shutthebox.simulator.page.message import GiveRules
from shutthebox.simulator.page.transcript import Words
from shutthebox.translations import translations


def rules_in(wish: GiveRules, words: Words) -> tuple[RulesGiven | None, str]:
    """The rules, or None if the box cannot take them; and what the page says to that, in one line."""
    _ = translations()[words.language]
    form = words.form
    if form is None or not form.is_open:
        return None, _("A match is being played. These can be changed when it is over.")
    path = Path(Path(wish.file).name or "rules")
    try:
        rules = from_text(wish.text, path)
    except ShutTheBoxError as error:
        return None, one_line(str(error))
    try:
        form.settings.with_rules(rules)
    except ValueError as error:
        return None, one_line(f"{shown_path(path)}: {error}")
    return RulesGiven(rules), _("{game} is the game now.").format(game=rules.title(words.language, _))
