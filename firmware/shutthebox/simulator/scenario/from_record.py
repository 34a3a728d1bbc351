"""Turns a match's record into a scenario that plays the match again."""

from dataclasses import replace
from pathlib import Path
from typing import assert_never

from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Draw, First
from shutthebox.rules.record import KIND, Record
from shutthebox.rules.record import parse as parse_record
from shutthebox.rules.record import replay as positions_of
from shutthebox.rules.rows import parts
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.rules.turn import left_open
from shutthebox.rules.writer import to_lines
from shutthebox.simulator.scenario.script import Scenario, ScenarioError, parse


def scenario_text(record: Record, profile: Path) -> str:
    """The scenario's lines.

    Args:
        record: a match by the rules.
        profile: the file with its profile, for the scenario's config.

    Raises:
        ScenarioError: throws of real dice with only the total known, or a match against the clock.
    """
    return "\n".join(_Hands(record, profile).lines) + "\n"


def as_scenario(record: Record, folder: Path) -> str:
    """The scenario's lines, with the profile written into this folder. Raises like `scenario_text`."""
    profile = folder / "profile.toml"
    # The box may know a game of that name with other rules, so the file gets its own name.
    played = replace(record.profile, name="replayed")
    if played.first is First.ROLL:
        # The record has no roll-off; its winner, the first seat, begins each round.
        played = replace(played, first=First.SEAT_1)
    profile.write_text("\n".join(to_lines(played)), "utf-8")
    return scenario_text(record, profile)


def script_or_record(text: str, folder: Path) -> Scenario:
    """Reads a scenario from a page's text: a script, or the record of a match.

    Args:
        text: from the page.
        folder: where to write a record's profile.

    Raises:
        ShutTheBoxError: it's neither.
    """
    if text.startswith(KIND):
        return parse(as_scenario(parse_record(text, "record", builtin), folder), "record")
    return parse(text, "scenario")


class _Hands:
    def __init__(self, record: Record, profile: Path) -> None:
        if record.profile.turn_seconds is not None:
            raise ScenarioError("a match against the clock: nobody knows when its throws were answered")
        if record.beginning.round.first_player:
            raise ScenarioError("a match that player 1 didn't begin: a scenario has no evening")
        positions = positions_of(record)
        self._down = 0
        made = (each for each in _throws(record, positions) if each[0].round.common is None)
        throws = [_faces(match, action) for match, action in made]
        self.lines = [
            f"config game.profile {profile}",
            f"config game.players {record.players}",
            f"config game.rounds {record.rounds}",
            "config game.setup usual",
            f"config box.levers {record.profile.tiles[-1]}",
        ]
        if throws:
            self.lines.append("dice " + " | ".join(throws))
        self.lines.append("press")
        rolling = False
        for at, action in enumerate(record.actions):
            before, after = positions[at], positions[at + 1]
            match action:
                case Thrown(faces):
                    self._set_levers(before.rules.starting & ~before.standing)
                    if before.round.common is not None:
                        # A throw for everyone appears as soon as the levers fit.
                        self.lines.append(f"expect throw {' '.join(map(str, faces))}")
                        continue
                    held = not rolling and _chosen_one(before, len(faces))
                    if not rolling:
                        self.lines.append("hold" if held else "press")
                    # The dice stop by themselves while the button is released.
                    self.lines.append("wait 1" if held else "press")
                    self.lines.append(f"expect throw {' '.join(map(str, faces))}")
                    rolling = False
                case Moved(shut):
                    columns, through = parts(before.rules, shut)
                    opens = before.turn.opens
                    self._set_levers(self._down & ~columns if opens else self._down | columns)
                    if through:
                        # Levers whose back tiles go, too, come up again and stand for those.
                        self.lines.append("press")
                        self._set_levers(self._down & ~(columns & before.turn.behind))
                        self._set_levers(self._down | through)
                    at_once = before.answers_of_others and shut
                    if not at_once and (not shut or left_open(before.rules, before.turn, shut)):
                        self.lines.append("press")
                        # A lever whose front tile is shut must come up first.
                        rolling = _throws_on(after) and not columns & after.turn.open
                case Reopened(tile):
                    self._set_levers(self._down & ~(1 << (tile - 1)))
                    self.lines.append("press")
                    rolling = _throws_on(after)
                case Advanced():
                    self.lines.append("press")
                case OutOfTime():
                    raise AssertionError("no clock runs in a match that has none")
                case _:
                    assert_never(action)
        result = positions[-1].result
        if result is not None and result.winners:
            self.lines.append("expect winner " + " ".join(str(winner + 1) for winner in result.winners))
        if record.given_up:
            self.lines += ["hold 10.5", "press", "expect mode attract"]

    def _set_levers(self, wanted: Tiles) -> None:
        for verb, tiles in (("lift", self._down & ~wanted), ("flip", wanted & ~self._down)):
            if tiles:
                self.lines.append(f"{verb} {' '.join(map(str, to_numbers(tiles)))}")
        self._down = wanted


def _throws(record: Record, positions: list[Match]) -> list[tuple[Match, Thrown]]:
    pairs = zip(positions, record.actions, strict=False)
    return [(match, action) for match, action in pairs if isinstance(action, Thrown)]


def _faces(match: Match, thrown: Thrown) -> str:
    dominoes = match.game.draw is Draw.DOMINOES
    allowed = match.dice_allowed
    if not dominoes and len(thrown.faces) not in allowed:
        raise ScenarioError(
            f"{sum(thrown.faces)}: only the total of these real dice is known; the box can't repeat it"
        )
    return " ".join(map(str, thrown.faces))


def _chosen_one(match: Match, dice: int) -> bool:
    return dice == 1 and len(match.dice_allowed) > 1


def _throws_on(match: Match) -> bool:
    """Whether the press that commits a move makes the next throw at once."""
    if match.turn.outcome is not None or not match.order_of_play.whole_turns:
        return False
    return len(match.dice_allowed) == 1
