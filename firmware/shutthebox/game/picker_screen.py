"""The screen of a choice that is made with the levers."""

from shutthebox.game.messages import told
from shutthebox.game.mode import Mode
from shutthebox.game.picker import Picker
from shutthebox.game.screen import Screen
from shutthebox.game.state import View


def picker_screen(mode: Mode, picker: Picker, view: View) -> Screen:
    """The options with their levers' numbers; a number among the options is drawn large, alone."""
    _ = view.translate
    heading, prompt = told(picker.heading, _), _("Lever: choose  Press")
    chosen = told(picker.options[picker.cursor], _)
    if chosen.isdigit():
        return Screen(mode, title=heading, big=chosen, prompt=prompt, lit=True)
    page = picker.options[picker.page : picker.page + picker.page_size]
    rows = tuple(f"{number} {told(option, _)}" for number, option in enumerate(page, 1))
    return Screen(mode, title=heading, rows=rows, cursor=picker.cursor - picker.page, prompt=prompt, lit=True)
