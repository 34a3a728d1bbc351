"""A whole match by ear only: the player knows the announcements and the own moves of levers."""

import itertools
import re
from pathlib import Path

import pytest
from tests.support.box import BoxUnderTest, S
from tests.support.fast import fast_among

from shutthebox.config.schema import Config, with_value
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.rules.actions import Thrown
from shutthebox.speech.speech_file import SpeechFileReader, SpeechFileWriter
from shutthebox.translations import finished_codes, translations


class Listener:
    """Plays with its hands and its ears.

    Args:
        box: to play on; its screen is never looked at.
        folder: where the box publishes what it says.
        language: of what it says.
    """

    def __init__(self, box: BoxUnderTest, folder: Path, language: str) -> None:
        self.box, self.ears = box, SpeechFileReader(folder)
        self.translate = translations()[language]
        self.down: set[int] = set()
        self.to_shut: list[int] = []
        self.heard: list[str] = []
        self.presses = 0

    def hears(self, english: str, text: str) -> dict[str, str] | None:
        """The values in the blanks of this message, if it was said."""
        message = re.escape(self.translate(english))
        said = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^.!?…]*?\\d[^.!?…]*?)", message)
        # What ends with a blank goes on to the end of the sentence.
        found = re.search(said + (r"(?=[.!?…]|$)" if said.endswith(")") else ""), text)
        return found and found.groupdict()

    def listen(self) -> str:
        self.box.wait(2 * S)
        new = [announcement.text for announcement in self.ears.new()]
        self.heard += new
        return " ".join(new)

    def press(self) -> None:
        self.presses += 1
        self.box.press()

    def flip(self, *levers: int) -> None:
        self.box.flip(*levers)
        self.down |= {*levers}

    def lift(self, *levers: int) -> None:
        self.box.lift(*levers)
        self.down -= {*levers}

    def play(self) -> str:
        """Plays until the match is over; returns the last words."""
        self.press()
        for _ in range(1000):
            text = self.listen()
            if self.hears("Press: again. Hold: end", text) is not None:
                return text
            self.act_on(text)
        raise AssertionError(f"no end; heard last: {self.heard[-5:]}")

    def act_on(self, text: str) -> None:
        if found := self.hears("Lift {tiles}", text) or self.hears("Put {tiles} back", text):
            levers = self.numbers(found["tiles"])
            self.flip(*levers) if self.hears("Put {tiles} back", text) else self.lift(*levers)
        elif found := self.hears("Make {answers}", text) or self.hears("Shut {answers}", text):
            total = max(int(number) for number in re.findall(r"\d+", found["answers"]))
            up = [lever for lever in range(1, 10) if lever not in self.down]
            sets = itertools.chain.from_iterable(itertools.combinations(up, n) for n in range(1, 5))
            self.to_shut = list(next(chosen for chosen in sets if sum(chosen) == total))
            self.flip(self.to_shut.pop())
        elif self.hears("{points} to go", text) and self.to_shut:
            self.flip(self.to_shut.pop())
        else:
            # Something that a press goes on from: a question, a throw, a complete move, the end of a turn.
            self.press()

    def numbers(self, said: str) -> list[int]:
        """Single ones, and runs from one to another."""
        run = self.translate("{first} to {last}").format(first=r"(\d+)", last=r"(\d+)")
        runs = re.findall(rf"{run}|(\d+)", said)
        return [number for a, z, one in runs for number in range(int(a or one), int(z or one) + 1)]


@pytest.mark.parametrize("language", fast_among(finished_codes(), ["fr"]))
def test_a_whole_match_by_ear(language: str, tmp_path: Path) -> None:
    config = with_value(Config(), "box.language", language, "test")
    throws: list[Thrown] = []

    def count(what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, Keep) and isinstance(what.fact, Thrown):
            throws.append(what.fact)

    box = BoxUnderTest(config=config, seed=1, observers=[SpeechFileWriter(tmp_path), count], advised=True)
    try:
        listener = Listener(box, tmp_path, language)
        end = listener.play()
    finally:
        box.box.close()
    show = box.show
    assert show.scene.winners
    # The scores of both were told, and who has won.
    assert listener.hears("{player} wins!", end) or listener.hears("Shared: {players}", end)
    for name, total in zip(box.seats, show.scene.totals, strict=True):
        assert listener.hears("{player}: {score}", end), (name, total)
    # Every throw was told, the ones that blocked too.
    thrown = translations()[language]("Thrown: {total}").partition("{")[0]
    assert sum(text.count(thrown) for text in listener.heard) == len(throws)
    assert listener.presses < 60, "a press that was refused is one that was not understood"


class Ears(Listener):
    """Knows no rules: takes the first answer that is said, and only tiles that are said to fit."""

    def act_on(self, text: str) -> None:
        open_tiles = self.hears("These fit: {tiles}", text)
        answers = self.hears("Make {answers}", text) or self.hears("Shut {answers}", text)
        if open_tiles and answers:
            first = re.split(r" or |, |…", answers["answers"])[0].partition(" with ")[0]
            must = {int(n) for n in re.findall(r" with (\d+)", answers["answers"])}
            named = [int(number) for number in first.split("+")]
            # By lever, the tile's number.
            fits = {
                n: n for n in self.numbers(open_tiles["tiles"]) if " at the back" not in open_tiles["tiles"]
            }
            for tile, lever in re.findall(r"(\d+) at the back(?:: lever (\d+))?", text):
                fits[int(lever or tile)] = int(tile)
            sets = itertools.chain.from_iterable(itertools.combinations(fits, n) for n in range(1, 6))
            best = (
                set(found)
                for found in sets
                if sum(fits[lever] for lever in found) == named[0] and must <= set(found)
            )
            # If no tiles add up, one behind another goes with it.
            through = {next(iter(fits))}
            self.to_shut = sorted(named if len(named) > 1 else next(best, through))
            self.flip(*self.to_shut)
        elif self.hears("Press: behind", text) is not None:
            self.press()
        elif self.hears("No move: lift one", text) is not None:
            self.lift(min(self.down))
        else:
            super().act_on(text)


FAMILIES = (
    "traditional", "lucky-seven", "exact", "trac", "trac-free", "knipsen", "open-one", "high-rollers",
    "domino-bag", "three-to-go", "golf", "misere", "bank", "ladder", "digits", "thai", "double-row",
    "double-shutter",
)  # fmt: skip


@pytest.mark.parametrize("game", fast_among(FAMILIES, (*FAMILIES[3:-1:8], FAMILIES[-1])))
def test_a_match_of_every_family_is_played_by_what_is_said_alone(game: str, tmp_path: Path) -> None:
    config = with_value(Config(), "game.profile", game, "test")
    box = BoxUnderTest(config=config, seed=7, observers=[SpeechFileWriter(tmp_path)])
    try:
        ears = Ears(box, tmp_path, "en")
        ears.play()
    finally:
        box.box.close()
    assert box.show.scene.winners or box.show.scene.owes
    heard = " ".join(ears.heard)
    assert "Player 1. Player 1." not in heard
    assert "Box shut! SHUT!" not in heard
    assert not set(heard) & set("·–<>"), "signs are read out, or left out, by a screen reader"
    assert "Lever 4: coach. Press: again. Hold: end." in heard
