"""The box in words."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from tests.box.simulator.page.pages import shown
from tests.support.box import BoxUnderTest, config_with

from shutthebox.config.profiles import builtin
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.simulator.page.transcript import LOG_LINES, Transcript, Words

SCRIPTS = Path(__file__).parents[2] / "scenarios"
FLIPPING = Screen(Mode.FLIPPING, "Player 1", "Round 1", dice=(3, 5), total=8, prompt="Shut 8")


def test_language_and_rules_follow_the_box() -> None:
    transcript = Transcript()
    transcript(shown(FLIPPING, "fr", builtin("trac")), 0)
    words = transcript.words
    assert (words.language, words.title) == ("fr", "Trac")
    assert words.rules[0].startswith("On joue avec les mêmes règles sur des boîtes à 9 ")
    assert "Lancé\u00a0: 3 et 5, soit 8." in words.said
    transcript(shown(FLIPPING, "en", None), 0)
    assert (transcript.words.language, transcript.words.rules) == ("en", ())


def test_what_was_said_is_withdrawn_once_it_is_no_longer_true() -> None:
    """Lever 5 is freed while nothing else changes: nothing is announced, and nobody reads that it's stuck."""
    transcript = Transcript()
    stuck = Screen(Mode.ATTRACT, "Pub", alert="Lever 5: stuck?", prompt="Press to play")
    transcript(shown(stuck), 0)
    assert "Lever 5: stuck?" in transcript.words.said
    count = transcript.words.announcements
    transcript(shown(stuck._replace(prompt="")), 0)
    assert transcript.words.said == ""  # nor that there's something to press for
    transcript(shown(stuck), 0)
    transcript(shown(stuck._replace(alert="Lever 7: stuck?")), 0)
    assert "Lever 5" not in transcript.words.said
    transcript(shown(stuck._replace(alert="")), 0)
    assert "stuck" not in transcript.words.said
    assert transcript.words.announcements >= count


def test_a_dark_display_leaves_nothing_said() -> None:
    transcript = Transcript()
    show = shown(FLIPPING)
    transcript(show, 0)
    assert "Shut 8" in transcript.words.said
    transcript(show._replace(asleep=True), 0)
    assert transcript.words.said == ""


def test_the_log_has_each_thing_once_and_the_latest_lines() -> None:
    transcript = Transcript(start_ns=1_000_000_000)
    transcript(SwitchChanged(3, True, 0), 1_500_000_000)
    transcript(shown(FLIPPING), 2_000_000_000)
    transcript(SwitchChanged(DICE_BUTTON, False, 0), 2_200_000_000)
    count, lines = transcript.log_since(0)
    assert (count, lines) == (
        3,
        [
            "    0.500  lever 3 down",
            "    1.000  flipping, levers ok: Player 1 / Round 1 / Shut 8",
            "    1.200  dice button up",
        ],
    )
    assert transcript.log_since(2) == (3, lines[2:])
    for number in range(LOG_LINES + 5):
        transcript.note(f"note {number}")
    count, lines = transcript.log_since(3)
    assert (count, len(lines)) == (3 + LOG_LINES + 5, LOG_LINES)
    assert transcript.log_since(count) == (count, [])


PLAIN = (str, int, float, type(None))


def foreign(value: object) -> Iterator[object]:
    """What in a value is more than a page can be sent."""
    if type(value) in (tuple, list, frozenset):
        assert isinstance(value, Iterable)
        for part in value:
            yield from foreign(part)
    elif type(value) is dict:
        yield from foreign([*value.items()])
    elif not isinstance(value, PLAIN):
        yield value


def test_the_pages_thread_gets_texts_and_figures_and_nothing_of_the_games_state() -> None:
    """What another thread could only read half changed would be a wrong move on a page."""
    transcript, kinds = Transcript(), set[str]()

    def look(what: object, t_ns: int) -> None:
        for key, value in ((field.name, getattr(transcript.words, field.name)) for field in fields(Words)):
            assert list(foreign(value)) == [], key
            kinds.update({key} if value else ())

    box = BoxUnderTest(config=config_with(game__players=2), observers=[transcript, look], advised=True)
    box.hold()
    box.hold()
    box.press()
    box.throw(1, 1)
    box.flip(2)
    box.throw(1, 1)
    assert box.mode == "turn-over"
    # Only two rows have tiles with other numbers.
    BoxUnderTest(config=config_with(game__profile="double-row"), observers=[transcript, look]).press()
    assert kinds == {field.name for field in fields(Words)}, "all of it has been looked at"
