"""The screen in words that a voice reads as they are meant."""

from dataclasses import replace

import pytest

from shutthebox.game.effects import Effect, Show, Sound, Sounded
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Profile
from shutthebox.speech.words import Announcer, screen_parts, sentences
from shutthebox.translations import finished_codes, translations


def show_of(screen: Screen, player: int | None = 1, throw: Throw | None = None) -> Show:
    return Show(
        screen,
        t_ns=0,
        mode=screen.mode,
        player=player,
        open=(),
        throw=throw,
        verdict="ok",
        scores=(),
        totals=(),
        owes=(),
        winners=(),
        seats=("Player 1", "ANN"),
    )


def words(screen: Screen, player: int | None = 1, throw: Throw | None = None, language: str = "en") -> str:
    return sentences(screen_parts(show_of(screen, player, throw), translations()[language]).values())


FULL = Screen(
    Mode.FLIPPING,
    title="T",
    aside="best 26",
    dice=(3,),
    total=3,
    big="OUT!",
    rows=("r",),
    paragraph="q",
    prompt="p",
    also=("a", "b"),
)


@pytest.mark.parametrize(
    ("screen", "player", "said"),
    [
        (Screen(Mode.READY, aside="2/3"), 1, "Round 2 of 3."),
        (Screen(Mode.READY, aside="2"), 1, "Round 2."),
        (Screen(Mode.READY, aside="best 26"), 1, "best 26."),
        (Screen(Mode.MENU, title="Pub", aside="2/14"), None, "Pub. Page 2 of 14."),
        (Screen(Mode.FLIPPING, dice=(3, 5), total=8), 1, "Thrown: 3 and 5, which is 8."),
        (Screen(Mode.FLIPPING, dice=(3, 5, 1), total=9), 1, "Thrown: 3, 5 and 1, which is 9."),
        (Screen(Mode.FLIPPING, dice=(6,), total=6), 1, "Thrown: 6."),
        (Screen(Mode.RAISE, prompt="Lift 1, 3-5, 8"), 1, "Lift 1, 3 to 5, 8."),
        (Screen(Mode.MENU, prompt="Lever 8: < 9: >"), None, "Lever 8: the one before, 9: the next."),
        (Screen(Mode.MENU, rows=(" 7 =====\t5",), cursor=0), None, "7 5."),
        (Screen(Mode.INITIALS, big="B__"), 1, "B."),
        (Screen(Mode.INITIALS, big="BZ_"), 1, "B Z."),
        (Screen(Mode.INITIALS, big="BZA"), 1, "B Z A."),
        (Screen(Mode.READY, big="36 left"), 1, "36 left."),
        (Screen(Mode.TURN_OVER, big="15", prompt="Blocked by 4"), 1, "Blocked by 4. Your score: 15."),
        (Screen(Mode.TURN_OVER, big="SHUT!", prompt="Shut the box!"), 1, "Shut the box! SHUT!"),
        (Screen(Mode.MENU, rows=("1 Game: Pub", "2 Sound: on"), cursor=1), None, "2 Sound: on."),
        (Screen(Mode.MENU, rows=("Matches 3", "Throws 20")), None, "Matches 3. Throws 20."),
        (Screen(Mode.FLIPPING, rows=("8\t+0.00", "1, 7\t+5.68"), cursor=0), 1, "8 +0.00. 1, 7 +5.68."),
        (Screen(Mode.MATCH_OVER, title="ANN wins!", rows=("1: 9", "ANN: 3", "1: lucky 0.5"), cursor=1), 1,
         "ANN wins! Player 1: 9. ANN: 3. Player 1: lucky 0.5."),
        (Screen(Mode.MATCH_OVER, title="Evening", rows=("1\towes 1", "ANN\tgets 1")), 1,
         "Evening. Player 1 owes 1. ANN gets 1."),
        (Screen(Mode.MATCH_OVER, title="Team 1 wins!", rows=("Team 1: 20",)), 1, "Team 1 wins! Team 1: 20."),
        (Screen(Mode.ROLLING, title="ANN", tumbling=True, dice=(1, 1)), 1, "ANN. The dice roll."),
        (Screen(Mode.FLIPPING, dice=(3, 5)), 1, "Thrown: 3 and 5."),
        (Screen(Mode.FLIPPING, prompt="Shut 8", also=("Hold: go", "5 on")), 1, "Shut 8. Hold: go. 5 on."),
        (Screen(Mode.FLIPPING, prompt="Lift 8", also=("Hold: a hint",), alert=True), 1, "Lift 8."),
        (Screen(Mode.MENU, title="Pub", paragraph="Nine tiles.", prompt="On?"), None, "Pub. Nine tiles. On?"),
        (Screen(Mode.MENU, title="Wait…", big="AB", prompt="Now!"), None, "Wait… A B. Now!"),
        (Screen(Mode.MENU, big="ABCD"), None, "ABCD."),
        (Screen(Mode.MENU, big="12"), None, "12."),
        (Screen(Mode.INITIALS, big="A"), None, "A."),
        (Screen(Mode.READY, title="Tiles 10-12 and 1-2"), 1, "Tiles 10 to 12 and 1 to 2."),
        (Screen(Mode.READY, aside="10 s"), 1, "10 seconds."),
        (Screen(Mode.READY, aside="5 s"), 1, "5 seconds."),
        (Screen(Mode.READY, aside="9 s"), 1, ""),
        (Screen(Mode.READY, aside="2/"), 1, "2/."),
        (Screen(Mode.READY, aside="a/3"), 1, "a/3."),
        (Screen(Mode.READY, aside="2/b"), 1, "2/b."),
        (Screen(Mode.MENU, aside="2"), None, "2."),
        (Screen(Mode.SETUP, rows=("1", "2"), cursor=0), None, "1."),
        (Screen(Mode.MATCH_OVER, rows=("2: 9", "12 rounds", "2\towes 1")), 1,
         "ANN: 9. 12 rounds. ANN owes 1."),
        (Screen(Mode.ATTRACT, rows=("1: 9", "2\t8")), None, "1: 9. 2 8."),
        (replace(FULL, mode=Mode.TURN_OVER), 1, "T. best 26. Thrown: 3. p. OUT! a. b. r. q."),
        (FULL, 1, "T. best 26. Thrown: 3. OUT! r. q. p. a. b."),
        (Screen(Mode.PUZZLE, title="Solved!", rows=("8\t+0.00", "1, 7\t+5.68"), cursor=0), None,
         "Solved! 8 +0.00. 1, 7 +5.68."),
    ],
)  # fmt: skip
def test_what_is_said_of_a_screen(screen: Screen, player: int | None, said: str) -> None:
    assert words(screen, player) == said


def test_the_seconds_that_a_turn_begins_with_are_said() -> None:
    show = replace(show_of(Screen(Mode.READY, aside="20 s")), game=Profile("A game", turn_seconds=20))
    parts = screen_parts(show, translations()["en"])
    assert parts["aside"] == "20 seconds"
    assert screen_parts(replace(show, game=Profile("A game")), translations()["en"])["aside"] == ""


def test_the_throw_that_ends_a_turn_is_told_like_the_others() -> None:
    over = Screen(Mode.TURN_OVER, title="ANN", aside="6+1", big="15", prompt="Blocked by 7")
    assert words(over, throw=(6, 1)) == "ANN. Thrown: 6 and 1, which is 7. Blocked by 7. Your score: 15."


def test_how_many_dice_are_best_cuts_nothing_short() -> None:
    left = Screen(Mode.READY, title="Player 1", big="7 left", prompt="Press: 2 dice", also=("Hold: 1 die",))
    announcer = Announcer()
    *_, hint = filter(None, map(announcer.take, map(show_of, (left, replace(left, big="2 dice: +0.48")))))
    assert (hint.text, hint.waits) == ("2 dice: +0.48.", True)


def test_what_the_coach_says_of_a_turn_cuts_nothing_short() -> None:
    turn = Screen(Mode.TURN_OVER, title="Player 1", big="15", prompt="Blocked by 4", also=("Press: go on",))
    announcer = Announcer()
    shows = [show_of(screen) for screen in (turn, replace(turn, also=(*turn.also, "lucky 0.5")))]
    first, later = filter(None, map(announcer.take, shows))
    assert (first.waits, later.waits) == (False, True)
    assert later.text == "Press: go on. lucky 0.5."


@pytest.mark.parametrize("language", finished_codes())
def test_what_a_hand_does_with_the_button_is_said_in_words(language: str) -> None:
    """The panel has room for "short" and "long" only."""
    _ = translations()[language]
    screen = Screen(Mode.MENU, prompt=_("Press: choose"), also=(_("Hold: back"),))
    said = words(screen, None, language=language)
    assert said.startswith(_("Press"))
    assert f" {_('Hold')}" in said


def announced(*effects: Effect) -> list[tuple[str, bool] | None]:
    """What is said at each of these, one after the other, and whether it waits for what is being said."""
    announcer = Announcer()
    said = [announcer.take(effect) for effect in effects]
    return [each if each is None else (each.text, each.waits) for each in said]


def test_a_refusal_has_the_prompt_said_once_more_and_no_more() -> None:
    show = show_of(Screen(Mode.FLIPPING, title="ANN", prompt="Shut 8"))
    for sound in (Sound.REFUSED, Sound.FAULT):
        announcer = Announcer()
        said = [
            announcer.take(what)
            for what in (show, show, Sounded(sound), show, show, Sounded(Sound.ROLL), show)
        ]
        assert [announcement and announcement.text for announcement in said] == [
            "ANN. Shut 8.", None, None, "Shut 8.", None, None, None,
        ]  # fmt: skip
        assert not any(announcement.waits for announcement in said if announcement)


def test_dice_in_the_air_are_not_said_and_the_throw_is_whole() -> None:
    thrown = Screen(Mode.FLIPPING, title="ANN", aside="2/3", dice=(3, 5), total=8, prompt="Shut 8")
    rolling = Screen(Mode.ROLLING, title="ANN", aside="2/3", tumbling=True)
    assert announced(*(show_of(screen) for screen in (thrown, rolling, thrown))) == [
        ("ANN. Round 2 of 3. Thrown: 3 and 5, which is 8. Shut 8.", False),
        None,
        ("Thrown: 3 and 5, which is 8. Shut 8.", False),
    ]
