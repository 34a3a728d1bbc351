"""The settings of the box as a form on the page: the items of its menu, with their options."""

from typing import TypeAlias

from shutthebox.game.effects import Form
from shutthebox.game.letters import LENGTH
from shutthebox.game.menu_items import GAME, GROUPS, Item, is_value, offered_items
from shutthebox.game.messages import Translate, localize
from shutthebox.game.settings import Settings
from shutthebox.rules.words import distinction

FormDocument: TypeAlias = dict[str, object]
"""As JSON: `items` are the settings, `names` the letters by seat; `open` says whether they can be changed,
`leaves` whether the match can be ended."""


def form_document(form: Form, translate: Translate) -> FormDocument:
    """The form for the page, in the language of these translations."""
    settings = form.settings
    seats = range(settings.game.players)
    return {
        "open": form.is_open,
        "leaves": form.leaves,
        "items": [_item(item, settings, translate) for item in offered_items(settings)],
        "names": [form.names[seat] if seat < len(form.names) else "" for seat in seats],
        "computers": [seat - 1 for seat in settings.game.computers],
        "letters": LENGTH,
    }


def offers_value(form: FormDocument, key: str, value: object) -> bool:
    """Whether this value of a key is among the options of a form."""
    items = form["items"]
    assert isinstance(items, list)
    return any(
        is_value(value, option) for item in items if item["key"] == key for _, option in item["options"]
    )


def _item(item: Item, settings: Settings, translate: Translate) -> FormDocument:
    """A setting: its config key, its label, the options with their values, and the current one."""
    texts = [localize(option, translate) for option in item.options(settings)]
    return {
        "key": item.key,
        "label": localize(item.label, translate),
        "about": _about(item, settings, translate),
        "large": item is GAME,
        "chosen": item.current_index(settings),
        "options": list(zip(texts, item.values(settings), strict=True)),
        "groups": _groups(settings, len(texts), translate) if item is GAME else None,
    }


def _groups(settings: Settings, options: int, translate: Translate) -> list[tuple[str, int]]:
    """The headings of the games, each with a count."""
    counts = [(group, len(games)) for group, games in settings.groups]
    if options > sum(count for _, count in counts):
        # It can't be played now, but is still the usual one.
        counts.append((settings.profile.group, 1))
    return [(localize(GROUPS[group], translate), count) for group, count in counts]


def _about(item: Item, settings: Settings, translate: Translate) -> str:
    about = localize(item.about, translate)
    if item is not GAME:
        return about
    return f"{distinction(settings.usual_game or settings.profile, translate)} {about}".strip()
