"""All texts of the page, in the language of the box, and the rules of its game in words."""

import base64
from typing import TypeAlias

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.game.messages import Translate
from shutthebox.rules.profile import Profile
from shutthebox.rules.words import explain
from shutthebox.web.how_to_play import how_to_play

Texts: TypeAlias = dict[str, "str | list[list[str]]"]
"""By name in the page's script: a text, or rows of a term and its meaning."""


def page_texts(translate: Translate) -> Texts:
    """All texts of the page except the workshop's."""
    _ = translate
    return {
        "lost": _("No connection to the box. Trying again…"),
        "levers": _("Levers"),
        "lever": _("Lever {number}"),
        "levers_about": _("The box restarts with this many levers, and offers the games that fit."),
        "button": _("Dice button"),
        "hold": _("Hold"),
        "lift": _("Lift all levers"),
        "display": _("Display"),
        "mute": _("Mute"),
        "help": _("Help"),
        "close": _("Close"),
        "watching": _(
            "Somebody else is playing, and you're watching. You get the levers 10 s after their last move."
        ),
        "settings": _("Settings"),
        "settings_wait": _("A match is on. You can change these when it's over."),
        "leave": _("End the match"),
        "settings_elsewhere": _(
            "Here you have the levers and the button. Everything else can only be changed at "
            "the computer itself."
        ),
        "name": _("Name of player {number}"),
        "names_note": _("Three letters each, for the screen and the hall of fame."),
        "rules_note": _(
            "Your own rules, as in a house-rules file. Drop a file on the page, or write "
            "which game they are like and what is different."
        ),
        "house_rules": _("House rules"),
        "play_rules": _("Play by these"),
        "rules_file": _("From a file"),
        "turns": _("The turns of the match"),
        "no_turns": _("Nobody has thrown yet."),
        "link": _("Link to this match"),
        "link_copied": _("The link is copied."),
        "coach": _("Coach"),
        "coach_marks": _("Shut: gold. Better: a green ring."),
        "rules_title": _("The rules: {game}"),
        "help_title": _("How to play"),
        "help_rows": [
            *how_to_play(translate),
            [_("On this page"), _("Click or tap a lever to flip it, or sweep across several.")],
        ],
        "keys": _(
            "Keyboard: 1–9, 0, - and = (the row of digits) move levers 1 to 12. Space or "
            "Enter is the dice button, L lifts all levers, O reads out the open tiles, M "
            "mutes, ? opens this help, Escape closes it."
        ),
    }


def workshop_texts(translate: Translate) -> Texts:
    """The texts of the workshop, the drawer for makers."""
    _ = translate
    return {
        "workshop": _("Workshop"),
        "broken": _("Workshop: something is broken on purpose"),
        "workshop_note": _(
            "Breaks and mends the simulated hardware, nothing else. You can't reach the "
            "game, its dice or its memory from here."
        ),
        "mend": _("Mend everything"),
        "press_service": _("Press the button inside the box"),
        "service": _("Service button"),
        "power": _("Power"),
        "pull_plug": _("Pull the plug"),
        "pull_plug_note": _("The box loses power and starts again. The levers stay where they are."),
        "hardware": _("Hardware"),
        "display_unplugged": _("Display unplugged"),
        "disk_full": _("Disk full"),
        "contact_works": _("works"),
        "contact_stuck": _("stuck where it is"),
        "contact_cut": _("wire cut"),
        "bounce": _("Contacts bounce for up to {amount} ms"),
        "lost_edges": _("Lost edges: {amount} %"),
        "pins": _("Pins"),
        "pin_columns": [[_("Line"), _("Wired to"), _("Level"), _("Edges")]],
        "lamp": _("Lamp"),
        "buzzer": _("Buzzer"),
        "high": _("high"),
        "low": _("low"),
        "closed": _("not open"),
        "log": _("What happens"),
        "scenario": _("Scenario"),
        "record": _("Record"),
        "record_note": _("The box restarts with an empty memory, so that the recording can be replayed."),
        "recording": _("Your match is being recorded."),
        "stop_recording": _("Stop recording"),
        "download": _("Download the recording"),
        "replay_recorded": _("Replay the recording"),
        "replay_file": _("Replay a file"),
        "too_large": _("The file is larger than {amount} KB."),
        "replaying": _("A replay on another box, with the scenario's dice. Yours stays as it is."),
        "replay_over": _("The replay is over."),
        "stop_replay": _("Back to the box"),
    }


def tab_texts(translate: Translate) -> dict[str, str]:
    """The texts of a page with its box in the same tab, for when the box isn't running."""
    _ = translate
    return {
        "loading": _("Loading {part}…"),
        "starting": _("The box is starting…"),
        "elsewhere": _("The box is open in another tab."),
        "play_here": _("Play here"),
        "unreadable": _(
            "The memory in this browser can't be read now. It stays as it is, and the box plays without it."
        ),
        "too_old": _("This browser is too old for the box. Use one from the last three years."),
        "failed": _("The box can't be loaded: {reason}"),
    }


def rules_of(game: Profile | None, language: str, translate: Translate) -> tuple[str, tuple[str, ...]]:
    """The game's title and its rules, sentence by sentence; both empty if no game can be played."""
    if game is None:
        return "", ()
    return game.title(language, translate), explain(game, translate)


def pixels_text(picture: Bitmap) -> str:
    """A picture of the panel for a page: one bit per pixel, row by row, in base64."""
    return base64.b64encode(picture.tobytes()).decode("ascii")
