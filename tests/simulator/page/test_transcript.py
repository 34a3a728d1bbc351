"""The box in words."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.page.pages import shown

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Ask, Effect, Keep, Play, Show, Sound
from shutthebox.game.mode import Mode
from shutthebox.game.questions import Prepare
from shutthebox.game.screen import Screen
from shutthebox.game.switches.debounce import DICE_BUTTON, SERVICE_BUTTON, SwitchChanged
from shutthebox.odds.coach import review
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.page.transcript import LOG_LINES, Transcript, Words, log_line
from shutthebox.simulator.scenario.player import Replay
from shutthebox.simulator.scenario.script import read

SCRIPTS = Path(__file__).parents[2] / "scenarios"
FLIPPING = Screen(Mode.FLIPPING, "Player 1", "Round 1", dice=(3, 5), total=8, prompt="Shut 8")


def test_each_announcement_is_told_once(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript(shown(FLIPPING), 0)
    assert transcript.words.said == transcript.words.panel
    assert transcript.words.said.startswith("Player 1. Round 1. Thrown: 3 and 5, which is 8.")
    transcript(shown(FLIPPING), 1)
    assert transcript.words.announcements == 1
    wrong = replace(FLIPPING, prompt="Lift 4", alert=True)
    transcript(shown(wrong), 2)
    assert (transcript.words.announcements, transcript.words.said) == (2, "Lift 4.")
    assert transcript.words.panel.endswith("Lift 4.")


def test_the_same_refusal_is_told_again() -> None:
    transcript = Transcript()
    for t_ns in range(2):
        transcript(Play(Sound.REFUSED), t_ns)
        transcript(shown(replace(FLIPPING, prompt="3 to go")), t_ns)
    assert (transcript.words.announcements, transcript.words.said) == (2, "3 to go.")


def test_a_dark_display_says_so() -> None:
    transcript = Transcript()
    asleep = Show(FLIPPING, 0, Mode.ATTRACT, None, (), None, "ok", (), (), (), (), asleep=True)
    transcript(asleep, 0)
    assert transcript.words.panel == "The display is dark."


def test_language_and_rules_follow_the_box() -> None:
    transcript = Transcript()
    transcript(shown(FLIPPING, "fr", builtin("trac")), 0)
    words = transcript.words
    assert (words.language, words.title) == ("fr", "Trac")
    assert words.rules[0].startswith("La boîte a 9 ")
    assert "Lancé : 3 et 5, soit 8." in words.said
    transcript(shown(FLIPPING, "en", None), 0)
    assert (transcript.words.language, transcript.words.rules) == ("en", ())


def test_the_log_has_each_thing_once_and_the_latest_lines() -> None:
    transcript = Transcript(start_ns=1_000_000_000)
    transcript(SwitchChanged(3, True, 0), 1_500_000_000)
    transcript(shown(FLIPPING), 2_000_000_000)
    transcript(shown(FLIPPING), 2_100_000_000)
    transcript(SwitchChanged(DICE_BUTTON, False, 0), 2_200_000_000)
    count, lines = transcript.log_since(0)
    assert (count, lines) == (
        3,
        [
            "    0.500  lever 3 down",
            "    1.000  flipping, levers ok: Player 1 / Round 1 / Shut 8",
            "    1.200  button up",
        ],
    )
    assert transcript.log_since(2) == (3, lines[2:])
    for number in range(LOG_LINES + 5):
        transcript.note(f"note {number}")
    count, lines = transcript.log_since(3)
    assert (count, len(lines)) == (3 + LOG_LINES + 5, LOG_LINES)
    assert transcript.log_since(count) == (count, [])


def test_the_log_has_a_line_for_everything_but_questions() -> None:
    asleep = replace(shown(FLIPPING), asleep=True, verdict="missing 5")
    lines: dict[str, Effect | SwitchChanged] = {
        "sound roll": Play(Sound.ROLL),
        "kept throw 3+5": Keep(Thrown((3, 5))),
        "button down": SwitchChanged(DICE_BUTTON, True, 0),
        "button up": SwitchChanged(DICE_BUTTON, False, 0),
        "service button down": SwitchChanged(SERVICE_BUTTON, True, 0),
        "lever 1 up": SwitchChanged(1, False, 0),
        "flipping, levers ok: Player 1 / Round 1 / Shut 8": shown(FLIPPING),
        "flipping asleep, levers missing 5: Player 1 / Round 1 / Shut 8": asleep,
        "": Ask(Prepare(builtin("pub"))),
    }
    assert [log_line(what) for what in lines.values()] == list(lines)
    transcript = Transcript()
    for what in lines.values():
        transcript(what, 2_000_000_000)
    assert transcript.log_since(0) == (8, [f"    2.000  {line}" for line in lines if line])


def test_a_screen_that_comes_back_is_logged_again() -> None:
    transcript = Transcript()
    for screen in (FLIPPING, FLIPPING, replace(FLIPPING, prompt="Lift 4"), FLIPPING):
        transcript(shown(screen), 0)
        transcript(Play(Sound.ROLL), 0)
    assert [line.rpartition(" ")[2] for line in transcript.log_since(0)[1]] == [
        "8",
        "roll",
        "roll",
        "4",
        "roll",
        "8",
        "roll",
    ]


def test_the_log_begins_at_zero_and_a_note_has_the_time_of_now() -> None:
    early = Transcript(start_ns=5_000_000_000)
    early(Play(Sound.ROLL), 1)
    early(Play(Sound.ROLL), 12_345_678_900)
    assert early.log_since(0) == (2, ["    0.000  sound roll", "    7.346  sound roll"])
    before_ns = time.monotonic_ns()
    notes = Transcript(start_ns=before_ns)
    notes.note("lever 3 cut")
    after_ns = time.monotonic_ns()
    ((count, [line]),) = [notes.log_since(0)]
    at, _, text = line.strip().partition("  ")
    assert (count, text) == (1, "lever 3 cut")
    assert 0 <= float(at) <= (after_ns - before_ns) / 1e9 + 0.001


def test_who_watches_is_called_once_when_words_and_lines_are_there() -> None:
    transcript = Transcript("fr")
    assert (transcript.words, transcript.log_since(0)) == (Words("fr"), (0, []))
    transcript(Play(Sound.ROLL), 0)  # nobody watches yet
    seen: list[tuple[str, int, int]] = []
    transcript.on_change(
        lambda: seen.append(
            (transcript.words.said, transcript.words.announcements, transcript.log_since(0)[0])
        )
    )
    transcript(SwitchChanged(3, True, 0), 0)
    transcript(shown(replace(FLIPPING, dice=())), 0)
    transcript(shown(replace(FLIPPING, dice=())), 0)
    assert seen == [("", 0, 2), ("Player 1. Round 1. Shut 8.", 1, 3), ("Player 1. Round 1. Shut 8.", 1, 3)]


def test_the_coach_stays_until_the_match_is_left() -> None:
    pub = builtin("pub")
    beginning = begin(pub, 2)
    first = review(beginning, (Thrown((6, 4)), Moved(to_tiles((4, 6)))), for_win=False)
    second = review(beginning, (Thrown((6, 4)), Moved(to_tiles((1, 9)))), for_win=False)
    seats = ("Ann", "Bob")
    playing = replace(shown(FLIPPING, game=pub), seats=seats)
    transcript = Transcript()

    def costs(show: Show) -> list[bool] | None:
        """Of each choice that the coach speaks of, whether it cost anything."""
        transcript(show, 0)
        said: Any = transcript.words.coach
        return None if said is None else [bool(move["cost"]) for move in said["moves"]]

    assert costs(playing) is None
    assert costs(replace(playing, review=first, game=None)) is None, "of no game"
    assert costs(replace(playing, review=first)) == [True]
    assert costs(playing) == [True], "it is still the same match"
    assert costs(replace(playing, review=second)) == [False]
    assert costs(replace(playing, review=second, language="de")) == [False]
    assert costs(shown(FLIPPING, game=pub)) is None


def test_title_and_rules_follow_the_game_and_the_language() -> None:
    transcript = Transcript()

    def explained(game: str, language: str) -> tuple[str, str]:
        transcript(shown(FLIPPING, language, builtin(game)), 0)
        return transcript.words.title, transcript.words.rules[0][:8]

    assert explained("trac", "fr") == ("Trac", "La boîte")
    assert explained("trac", "en") == ("Trac", "The box ")
    assert explained("pub", "en")[0] != "Trac"
    assert explained("trac", "en") == ("Trac", "The box ")


@pytest.mark.parametrize("script", ["two-players.scn", "jouhet-captain.scn", "domino-bag.scn"])
def test_every_screen_of_a_match_has_words(script: str, tmp_path: Path) -> None:
    transcript = Transcript()
    replay = Replay(read(SCRIPTS / script), tmp_path)
    empty: list[Show] = []

    def look(what: object, t_ns: int) -> None:
        transcript(what, t_ns)  # type: ignore[arg-type]
        if isinstance(what, Show) and not transcript.words.panel.strip():
            empty.append(what)

    replay.world.observe(look)
    replay.run()
    assert empty == []
    assert transcript.words.panel
