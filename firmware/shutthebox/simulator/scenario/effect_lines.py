"""Effects as lines: for programs, for the log of the workshop and for expectations."""

import json
from typing import Any, TypeAlias

from shutthebox.game.effects import Keep, PlaySound, Show
from shutthebox.game.facts import (
    Began,
    BoxLeft,
    ClockShown,
    Fact,
    Faulted,
    Finished,
    LogSigned,
    PlayersLeft,
    RematchWanted,
    Remembered,
    Resumed,
    Signed,
)
from shutthebox.game.messages import localize
from shutthebox.link.match import Revealed, Rolled
from shutthebox.rules.actions import Action
from shutthebox.translations import localize_screen, translations

ReplayedEffect: TypeAlias = Show | PlaySound | Keep
"""The effects that a replay tells of; the others are questions, to the odds and to helpers."""


def as_json(effect: ReplayedEffect, t_ns: int, box: int = 1) -> str:
    """One effect of a box as a line of JSON; the second box's says so."""
    line: dict[str, Any] = {"t": t_ns / 1e9} if box == 1 else {"t": t_ns / 1e9, "box": box}
    match effect:
        case Show():
            line |= {
                "kind": "show",
                "mode": effect.mode.in_scenarios,
                "player": effect.scene.player,
                "open": effect.scene.open,
                "throw": effect.scene.throw,
                "verdict": str(effect.scene.verdict),
                "scores": effect.scene.scores,
                "totals": effect.scene.totals,
                "owes": [float(stakes) for stakes in effect.scene.owes],
                "winners": effect.scene.winners,
                "names": [localize(seat, translations()[effect.language]) for seat in effect.scene.seats],
                "text": localize_screen(effect).text,
                "asleep": effect.asleep,
            }
        case PlaySound(sound):
            line |= {"kind": "sound", "name": sound.value}
        case Keep(fact):
            line |= {"kind": "record", "fact": fact_text(fact)}
    return json.dumps(line, ensure_ascii=False)


def fact_text(fact: Fact) -> str:
    """A kept fact in one line."""
    if isinstance(fact, Remembered):
        key, value = fact.entry
        return f"choose {key} {value}"
    match fact:
        case Began(match, link=link):
            linked = f", seat {link.seat + 1} of {', '.join(link.agreement.names)}" if link else ""
            return f"begin {match.game.name} {match.players} players {match.rounds} rounds{linked}"
        case Resumed():
            return "resume"
        case PlayersLeft():
            return "leave"
        case Finished(match):
            winners = " ".join(str(i + 1) for i in match.result.winners) if match.result else ""
            return f"finish {winners}"
        case Signed(player, initials):
            return f"sign {player + 1} {initials}"
        case Faulted(kind, text):
            return f"fault {kind}: {text}"
        case _:
            return _own_text(fact)


def _own_text(
    fact: Action | ClockShown | BoxLeft | LogSigned | RematchWanted | Rolled | Revealed,
) -> str:
    return fact.to_text()
