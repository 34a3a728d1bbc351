"""The machine's settings: from the configuration, the house rules and the choices at the box."""

import json
from pathlib import Path
from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.config.schema import Config, ConfigError, parse_config
from shutthebox.config.settings_loader import (
    broken_rules,
    restore_choices,
    settings_for,
    with_choices,
)
from shutthebox.game.facts import BestTotal, Chosen, Remembered, Streak, remembered
from shutthebox.game.menu_items import MENU_LINES, Item
from shutthebox.game.settings import Settings
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.tiles import to_tiles
from shutthebox.translations import languages, title_order

FRIDAY = Tournament("Friday at the Crown", "0123456789abcdef" * 4)

EVERYTHING = """
[game]
profile = "trac"
players = 3
setup = "usual"
[box]
levers = 12
language = "fr"
out_of_play = [4, 12]
service_code = [2, 7]
sleep_min = 2.5
[display]
brightness = "dim"
[gpio]
service = 20
"""


def config(text: str) -> Config:
    return parse_config(text, "box.toml")


def on_levers(levers: int) -> tuple[Any, ...]:
    played = (profile.for_levers(levers) for profile in profiles.builtins())
    return tuple(profile for profile in played if profile is not None)


def test_the_machine_gets_the_sections_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "friday.tournament"
    file.write_text(FRIDAY.to_text())
    owner = config(f'{EVERYTHING}\n[tournament]\nfile = "{file}"\n')
    settings = settings_for(owner, 12, "box.toml")
    trac = profiles.builtin("trac").for_levers(12)
    assert trac is not None
    assert settings._replace(profiles=tuple(settings.profiles)) == Settings(
        (trac, *(game for game in on_levers(12) if game != trac)),
        owner.game,
        owner.box,
        owner.display,
        levers=12,
        languages=tuple(languages().items()),
        service_button=True,
        title_order=title_order,
        tournament=FRIDAY,
        recognize=profiles.recognize,
    )
    assert (settings.profile, settings.skips_setup, settings.sleep_ns) == (trac, True, 150_000_000_000)
    assert (settings.out, settings.code) == (to_tiles([4, 12]), to_tiles([2, 7]))
    assert settings_for(config('[game]\ndice = "real"'), 9, "box.toml").real_dice


@pytest.mark.parametrize(
    ("text", "levers", "complaint"),
    [
        (
            '[game]\nprofile = "full-house"',
            9,
            "game.profile: full-house needs 12 levers, this box has 9; use games that fit",
        ),
        (
            "[box]\nout_of_play = [3, 10, 1]",
            9,
            "box.out_of_play: lever 10 is not on this box; use 1 to 9",
        ),
        (
            "[box]\nservice_code = [13]",
            12,
            "box.service_code: lever 13 is not on this box; use 1 to 12",
        ),
        (
            "[box]\nout_of_play = [1, 2, 3, 4, 5, 6, 7, 8, 9]",
            9,
            "box.out_of_play: no game is left; use fewer levers",
        ),
        (
            '[game]\ndice = "real"\n[tournament]\nfile = "x"',
            9,
            'tournament.file: not allowed with game.dice = "real"; use "auto"',
        ),
        (
            '[tournament]\nfile = "/no/such"',
            9,
            "tournament.file: /no/such: No such file or directory",
        ),
    ],
)
def test_fail__settings(text: str, levers: int, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_for(config(text), levers, "box.toml")
    assert str(caught.value) == f"box.toml: {complaint}"


def test_house_rules_are_offered_with_the_games_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("tiles = 9")
    (tmp_path / "wide.toml").write_text("tiles = 20")
    (tmp_path / "bad.toml").write_text("dice = 0")
    rules = config(f'[rules]\nfolder = "{tmp_path}"\n[game]\nprofile = "ours"')
    settings = settings_for(rules, 9, "test")
    assert settings.profile.name == "ours"
    assert [profile.name for profile in settings.profiles] == [
        "ours",
        *(profile.name for profile in on_levers(9)),
    ]
    (broken,) = broken_rules(rules)
    assert str(broken).startswith(f"{tmp_path}/bad.toml: dice: 0 is not allowed")
    assert broken_rules(Config()) == ()


def test_a_usual_game_by_its_path_is_offered_first(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("tiles = 9")
    settings = settings_for(config(f'[game]\nprofile = "{tmp_path}/ours.toml"'), 9, "test")
    assert tuple(settings.profiles) == (settings.profile, *on_levers(9))
    assert settings.profile.name == "ours"


# -- choices made at the box -------------------------------------------------------------------


def test_a_choice_that_is_none_is_left_out_and_said(caplog: pytest.LogCaptureFixture) -> None:
    chosen = with_choices(Config(), {"game.players": 21, "store.folder": "/", "best": 1, "game.hints": True})
    assert chosen == config("[game]\nhints = true")
    assert caplog.messages == [
        "chosen at the box: game.players: 21 is not allowed; use a whole number from 1 to 20",
        "chosen at the box: store.folder: can't be chosen there",
        "chosen at the box: best: can't be chosen there",
    ]


def test_choices_at_the_box_become_settings_with_the_best_results() -> None:
    before = settings_for(Config(), 9, "test")
    choices = (Chosen("game.profile", "pub"), Chosen("game.players", 3))
    chosen = restore_choices(Config(), before, (*choices, BestTotal("ladder.9", 17), Streak(7, 2)))
    assert (chosen.profile.name, chosen.game.players, chosen.levers) == ("pub", 3, 9)
    assert chosen.bests == {"ladder.9": 17}
    assert chosen.streak == Streak(7, 2)


@pytest.mark.parametrize(
    ("choices", "players"),
    [
        # The game is gone from the folder, or does not fit any more: the other choices hold.
        ((Chosen("game.profile", "gone"), Chosen("game.players", 3)), 3),
        ((Chosen("game.profile", "full-house"), Chosen("game.players", 3)), 3),
        # Nothing of them can be played: all is as configured.
        ((Chosen("game.players", 3), Chosen("box.out_of_play", tuple(range(1, 10)))), 2),
    ],
)
def test_choices_that_no_longer_fit_are_left_out(
    choices: tuple[Remembered, ...], players: int, caplog: pytest.LogCaptureFixture
) -> None:
    before = settings_for(Config(), 9, "test")
    chosen = restore_choices(Config(), before, (*choices, BestTotal("ladder.9", 17), Streak(7, 2)))
    assert (chosen.profile.name, chosen.game.players) == ("traditional", players)
    assert (chosen.bests, chosen.streak) == ({"ladder.9": 17}, Streak(7, 2))
    assert caplog.messages
    assert all(message.endswith("; playing as configured") for message in caplog.messages)


@pytest.mark.parametrize(
    "item", [entry for entry in MENU_LINES if isinstance(entry, Item)], ids=lambda item: item.label.text
)
@pytest.mark.parametrize("game", ["traditional", "cover-200"])
def test_whatever_is_chosen_at_the_box_is_so_after_a_power_cut(game: str, item: Item) -> None:
    configured = config(f'[game]\nprofile = "{game}"\ncomputers = [1]\nhandicap = [0, 8]\n')
    before = settings_for(configured, 9, "box.toml")
    for option in range(len(item.options(before))):
        chosen, facts = item.choose(before, option)
        kept = [remembered(fact.key, json.loads(json.dumps(fact.value))) for fact in facts]
        restored = restore_choices(configured, before, kept)
        assert frozenset(restored.profiles) == frozenset(chosen.profiles)
        assert restored._replace(profiles=()) == chosen._replace(profiles=())
