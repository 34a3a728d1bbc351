"""`expect …`: what the box must show. For each word, how to read its line and how to look at the box."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Self

from shutthebox.errors import quoted
from shutthebox.game.effects import Scene
from shutthebox.game.judge import VerdictKind
from shutthebox.game.mode import Mode
from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.arguments import WrongError, faces, number, numbers, take_words
from shutthebox.simulator.scenario.verbs import Verb
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen

LOOK_WORK = 50
"""A look at the panel takes as long as this many presses."""


MODES = tuple(dict.fromkeys(mode.in_scenarios for mode in Mode))


def _read_mode(words: Sequence[str]) -> str:
    (word,) = take_words(1, words, "expect mode MODE")
    if word not in MODES:
        raise WrongError(f"{quoted(word)} is not a mode; use one of {', '.join(MODES)}")
    return word


def _read_player(words: Sequence[str]) -> int:
    return number(take_words(1, words, "expect player N")[0], 1, MAX_PLAYERS, "player")


def _read_tiles(words: Sequence[str]) -> tuple[int, ...]:
    return tuple(sorted(numbers([word for word in words if word != "-"], "tile", least=0)))


def _read_verdict(words: Sequence[str]) -> str:
    if not words or words[0] not in list(VerdictKind):
        raise WrongError(f"{quoted(' '.join(words))} is not a verdict; use one of {', '.join(VerdictKind)}")
    amounts = [number(word, 0, 10**9, "number") for word in words[1:]]
    return " ".join(map(str, (words[0], *amounts)))


def _read_throw(words: Sequence[str]) -> tuple[int, ...] | None:
    return None if list(words) in ([], ["-"]) else faces(words)


def _read_points(words: Sequence[str]) -> tuple[int, int]:
    player, points = take_words(2, words, "PLAYER POINTS")
    return number(player, 1, MAX_PLAYERS, "player"), number(points, 0, 10**17, "score")


def _read_stakes(words: Sequence[str]) -> tuple[int, Fraction]:
    player, stakes = take_words(2, words, "expect owes PLAYER STAKES")
    if not re.fullmatch(r"-?[0-9]{1,6}([./][0-9]{1,6})?", stakes) or stakes.endswith("/0"):
        raise WrongError(f"{quoted(stakes)} is not a number of stakes; use a number like 2, -4, 0.5 or 1/3")
    return number(player, 1, MAX_PLAYERS, "player"), Fraction(stakes)


def _read_winners(words: Sequence[str]) -> tuple[int, ...]:
    return tuple(sorted(numbers(words, "player")))


def _read_text(words: Sequence[str]) -> str:
    text = " ".join(words)
    if len(text) < 3 or not (text.startswith('"') and text.endswith('"')):
        raise WrongError('use expect text "WORDS"')
    return text[1:-1]


def _read_picture(words: Sequence[str]) -> str:
    (name,) = take_words(1, words, "expect panel NAME")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise WrongError(f"{quoted(name)}; use letters, digits, - and _")
    return name


def _of_player(values: Sequence[object], player: int) -> object:
    return player, values[player - 1] if player <= len(values) else None


def _text(box: VirtualBox, wanted: str) -> str:
    text = localize_screen(box.show).text
    return wanted if wanted.casefold() in " ".join(text.split()).casefold() else text.replace("\n", " / ")


def _panel(box: VirtualBox, name: str, folder: Path) -> str:
    if not isinstance(box.display, VirtualDisplay):
        return "no panel to look at"
    golden = folder / f"{name}.png"
    return name if box.display.shows(golden, box.now_ns) else f"a panel unlike {golden}"


class Expectation(NamedTuple):
    """One word that may follow ``expect``.

    Attributes:
        read: parses the expected value from the rest of the line; raises WrongError.
        look: returns the value that the box shows, given the box, the expected value, and the script's
            folder, where the golden pictures are.
    """

    read: Callable[[Sequence[str]], Any]
    look: Callable[[VirtualBox, Any, Path], object]


def _of_scene(
    look: Callable[[Scene, Any], object],
) -> Callable[[VirtualBox, Any, Path], object]:
    return lambda box, wanted, folder: look(box.show.scene, wanted)


EXPECTATIONS = {
    "mode": Expectation(_read_mode, lambda box, wanted, folder: box.show.mode.in_scenarios),
    "player": Expectation(_read_player, _of_scene(lambda scene, _: scene.player)),
    "open": Expectation(_read_tiles, _of_scene(lambda scene, _: tuple(sorted(scene.open)))),
    "verdict": Expectation(_read_verdict, _of_scene(lambda scene, _: str(scene.verdict))),
    "score": Expectation(_read_points, _of_scene(lambda scene, wanted: _of_player(scene.scores, wanted[0]))),
    "total": Expectation(_read_points, _of_scene(lambda scene, wanted: _of_player(scene.totals, wanted[0]))),
    "owes": Expectation(_read_stakes, _of_scene(lambda scene, wanted: _of_player(scene.owes, wanted[0]))),
    "winner": Expectation(_read_winners, _of_scene(lambda scene, _: scene.winners)),
    "throw": Expectation(_read_throw, _of_scene(lambda scene, _: scene.throw)),
    "text": Expectation(_read_text, lambda box, wanted, folder: _text(box, wanted)),
    "panel": Expectation(_read_picture, _panel),
}


@dataclass(frozen=True, slots=True)
class Expect(Verb):
    """``expect WHAT …``: the box must show this now."""

    word = "expect"
    what: str
    wanted: object

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        if not words or words[0] not in EXPECTATIONS:
            raise WrongError(f"what's expected? use one of {', '.join(EXPECTATIONS)}")
        return cls(words[0], EXPECTATIONS[words[0]].read(words[1:]))

    @property
    def work(self) -> int:
        return LOOK_WORK if self.what == "panel" else 1

    def difference(self, box: VirtualBox, folder: Path) -> str | None:
        """The shown value in words; None if the expectation holds.

        Args:
            box: to look at.
            folder: of the script.
        """
        found = EXPECTATIONS[self.what].look(box, self.wanted, folder)
        if found == self.wanted:
            return None
        return f"expected {self.what} {_plain(self.wanted)}, got {_plain(found)}"


def _plain(value: object) -> str:
    if value is None or value == ():
        return "nothing"
    return " ".join(map(_plain, value)) if isinstance(value, tuple) else str(value)
