"""House rules entered on the page: checked like those of a config, and made the box's game."""

from collections.abc import Callable
from pathlib import Path

from shutthebox.config.profiles import from_text
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import shown_path
from shutthebox.game.inputs import FormInput, RulesGiven
from shutthebox.game.settings import on_box
from shutthebox.simulator.page.message import GiveRules
from shutthebox.simulator.page.transcript import Words
from shutthebox.translations import translations


def take_rules(wish: GiveRules, words: Words, fill_in: Callable[[FormInput], None]) -> str:
    """Gives the box the rules, if they work. Returns one line for the page."""
    _ = translations()[words.language]
    if words.form is None or not words.form["open"]:
        return _("A match is on. You can change these when it's over.")
    path = Path(Path(wish.file).name or "rules")
    try:
        rules = from_text(wish.text, path)
    except ShutTheBoxError as error:
        return one_line(str(error))
    try:
        on_box(rules, words.levers, words.others)
    except ValueError as error:
        return one_line(f"{shown_path(path)}: {error}")
    fill_in(RulesGiven(rules))
    return _("The game is now: {game}.").format(game=rules.title(words.language, _))
