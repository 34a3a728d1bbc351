"""The screen in words that a voice reads as they are meant."""

import ast
import re
from pathlib import Path

import pytest
from tests.support.shows import changed, plain_show
from tests.support.sources import nodes_of

from shutthebox import game
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Effect, PlaySound, Show, Sound
from shutthebox.game.messages import (
    ChartBar,
    CommaList,
    ListRow,
    Name,
    Numbers,
    Seat,
    Spelling,
    Text,
    TileSum,
    localize,
    message,
)
from shutthebox.game.mode import Mode
from shutthebox.game.owner_topics import WEEKDAYS
from shutthebox.game.screen import Screen
from shutthebox.rules.profile import Profile
from shutthebox.speech.sentences import Announcer, screen_parts, sentences, to_speech


def show_of(screen: Screen) -> Show:
    return plain_show(screen, seats=(message("Player {number}", number=1), Name("ANN")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (message("round {of}/{all}", of=2, all=3).say_as("Round {of} of {all}"), "Round 2 of 3"),
        (message("Lift {tiles}", tiles=Numbers((1, 3, 4, 5, 8))), "Lift 1, 3 to 5, 8"),
        (ListRow(ChartBar(7, 5), "41"), "7 41"),
        (ListRow(TileSum((1, 2, 5)), message("is best")), "1, 2 and 5 is best"),
        (ListRow(Seat(1, Name("ANN")), message("owes {stakes}", stakes="1")), "Ann owes 1"),
        (message("{player}: {score}", player=Seat(2, message("Computer")), score="9"), "Computer: 9"),
        (message("Shared: {players}", players=CommaList((Name("ANN"), Name("BEA")))), "Shared: Ann, Bea"),
        (message("{box} has left.", box=Name("The Anchor")), "The Anchor has left."),
        (Spelling("BZ", 3), "B Z"),
        (ListRow(WEEKDAYS[4], message("{n}x", n=3).say_as("{n} times")), "Friday 3 times"),
        ("36", "36"),
    ],
)
def test_signs_and_names_are_said_in_words(text: Text, said: str) -> None:
    assert localize(to_speech(text), str) == said


SIGN = re.compile(r"[<>·]|}/{|} s$|}x$|^[0-9]: ")
"""What stands for a word on the panel, and can't be said as it stands."""


def test_every_text_with_a_sign_says_how_it_is_said() -> None:
    """A text that is reworded on the panel takes the voice's words along."""
    forgotten = []
    for path in (Path(game.__file__).parent).rglob("*.py"):
        said = {node.value for node in nodes_of(path) if isinstance(node, ast.Attribute)}
        for node in nodes_of(path):
            match node:
                case ast.Call(func=ast.Name("message"), args=[ast.Constant(str(text))]) if SIGN.search(text):
                    forgotten += [f"{path.name}: {text}"] if node not in said else []
    assert forgotten == []


FULL = Screen(
    Mode.FLIPPING,
    title="T",
    aside="best 26",
    dice=(3, 5, 1),
    total=9,
    big="OUT!",
    rows=("r", ListRow("s", "4")),
    paragraph="q",
    prompt="p",
    also=("a", "b"),
)


@pytest.mark.parametrize(
    ("screen", "said"),
    [
        (FULL, "T. best 26. Thrown: 3, 5 and 1, which is 9. OUT! r. s 4. q. p. a. b."),
        (FULL._replace(alert="f"), "T. best 26. Thrown: 3, 5 and 1, which is 9. OUT! r. s 4. q. f. p. a. b."),
        (Screen(Mode.RAISING, alert="f", prompt="f"), "f."),
        (Screen(Mode.MENU, rows=("1 Game", "2 Sound: on"), cursor=1, is_list=True), "2 Sound: on."),
        (Screen(Mode.FLIPPING, rows=("8", "1, 7"), cursor=0), "8. 1, 7."),
        (Screen(Mode.ROLLING, title="ANN", tumbling=True, dice=(1, 1)), "ANN. The dice roll."),
        (Screen(Mode.FLIPPING, dice=(6,), total=6), "Thrown: 6."),
        (
            Screen(Mode.MENU, title="Rules", code="http://192.168.1.5:8090/#rules", prompt="Press: scores"),
            "Rules. Address: 192.168.1.5:8090. Press: scores.",
        ),
    ],
)
def test_what_is_said_of_a_screen(screen: Screen, said: str) -> None:
    assert sentences(screen_parts(show_of(screen), str).values()) == said


def test_only_some_seconds_are_said_and_those_that_a_turn_begins_with() -> None:
    show = changed(show_of(Screen(Mode.READY)), game=Profile("A game", turn_seconds=20))
    said = [
        left
        for left in range(25)
        if screen_parts(
            show._replace(screen=Screen(Mode.READY, aside=message("{seconds} s", seconds=left))), str
        )["aside"]
    ]
    assert said == [5, 10, 20]


def test_how_many_dice_are_best_cuts_nothing_short() -> None:
    left = Screen(Mode.READY, title="Player 1", big="7 left", prompt="Press: 2 dice", also=("Hold: 1 die",))
    announcer = Announcer()
    *_, hint = filter(None, map(announcer.take, map(show_of, (left, left._replace(big="2 dice are best")))))
    assert (hint.text, hint.waits) == ("2 dice are best.", True)


def test_another_game_or_language_is_said_while_nobody_plays() -> None:
    def usual(title: str, game: str) -> Show:
        screen = Screen(Mode.ATTRACT, title=title, prompt="Press to play")
        return changed(show_of(screen), game=builtin(game))

    english = usual("Pub", "pub")
    another = usual("Pub", "trac"), usual("Trac", "trac")._replace(language="fr")
    assert announced(english, english, *another) == [
        "Pub. Press to play.", None, "Pub. Press to play.", "Trac. Press to play.",
    ]  # fmt: skip


def announced(*effects: Effect) -> list[str | None]:
    """What is said at each of these, one after the other; none waits for what is being said."""
    announcer = Announcer()
    said = [announcer.take(effect) for effect in effects]
    assert not any(each.waits for each in said if each)
    return [each and each.text for each in said]


@pytest.mark.parametrize("sound", [Sound.REFUSED, Sound.FAULT])
def test_a_refusal_has_the_prompt_said_once_more_and_no_more(sound: Sound) -> None:
    show = show_of(Screen(Mode.FLIPPING, title="ANN", prompt="Shut 8"))
    assert announced(show, show, PlaySound(sound), show, show, PlaySound(Sound.ROLL), show) == [
        "ANN. Shut 8.", None, None, "Shut 8.", None, None, None,
    ]  # fmt: skip


def test_a_refusal_repeats_nothing_of_what_is_to_be_done_until_it_is_gone() -> None:
    asked = Screen(Mode.FLIPPING, title="ANN", prompt="Shut 8", also=("Hold: hint",))
    refused = asked.alerted("8 to go")
    shows = [show_of(screen) for screen in (asked, refused, refused, asked)]
    assert announced(shows[0], PlaySound(Sound.REFUSED), shows[1], PlaySound(Sound.REFUSED), *shows[2:]) == [
        "ANN. Shut 8. Hold: hint.", None, "8 to go.", None, "8 to go.", "Shut 8.",
    ]  # fmt: skip


def test_what_can_be_done_is_not_said_again_because_something_comes_before_it() -> None:
    asked = Screen(Mode.FLIPPING, title="ANN", prompt="Shut 8", also=("Hold: hint",))
    assert announced(show_of(asked), show_of(asked.led_by("Working it out…"))) == [
        "ANN. Shut 8. Hold: hint.", "Working it out…",
    ]  # fmt: skip


ROUND = message("round {round}/{rounds}", round=2, rounds=3).say_as("Round {round} of {rounds}")


def test_dice_in_the_air_are_not_said_and_the_throw_is_whole() -> None:
    thrown = Screen(Mode.FLIPPING, title="Ann", aside=ROUND, dice=(3, 5), total=8, prompt="Shut 8")
    rolling = Screen(Mode.ROLLING, title="Ann", aside=ROUND, tumbling=True)
    assert announced(*(show_of(screen) for screen in (thrown, rolling, thrown))) == [
        "Ann. Round 2 of 3. Thrown: 3 and 5, which is 8. Shut 8.",
        None,
        "Thrown: 3 and 5, which is 8. Shut 8.",
    ]
