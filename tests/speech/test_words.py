"""What is on the screen, in words that a voice reads as they are meant."""

import pytest

from shutthebox.game.effects import Show
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.speech.words import screen_parts, sentences


def words(screen: Screen, player: int | None = 1) -> str:
    show = Show(
        screen,
        t_ns=0,
        mode=screen.mode,
        player=player,
        open=(),
        throw=None,
        verdict="ok",
        scores=(),
        totals=(),
        owes=(),
        winners=(),
    )
    return sentences(screen_parts(show, str).values())


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
        (Screen(Mode.MENU, prompt="Lever 8: < 9: >"), None, "Lever 8: the one before 9: the next."),
        (Screen(Mode.INITIALS, big="B__"), 1, "B."),
        (Screen(Mode.INITIALS, big="BZ_"), 1, "B Z."),
        (Screen(Mode.INITIALS, big="BZA"), 1, "B Z A."),
        (Screen(Mode.READY, big="36 left"), 1, "36 left."),
        (Screen(Mode.TURN_OVER, big="15", prompt="Blocked by 4"), 1, "Blocked by 4. Your score: 15."),
        (Screen(Mode.TURN_OVER, big="SHUT!", prompt="Shut the box!"), 1, "Shut the box! SHUT!"),
        (Screen(Mode.MENU, rows=("1 Game: Pub", "2 Sound: on"), cursor=1), None, "2 Sound: on."),
        (Screen(Mode.MENU, rows=("Matches 3", "Throws 20")), None, "Matches 3. Throws 20."),
        (Screen(Mode.FLIPPING, rows=("8\t+0.00", "1,7\t+5.68"), cursor=0), 1, "8 +0.00. 1,7 +5.68."),
        (Screen(Mode.MATCH_OVER, title="Player 2 wins!", rows=("1: 9", "2: 3"), cursor=1), 1,
         "Player 2 wins! 1: 9. 2: 3."),
    ],
)  # fmt: skip
def test_what_is_said_of_a_screen(screen: Screen, player: int | None, said: str) -> None:
    assert words(screen, player) == said
