"""Advice for the current player: what may be done, best first, and what the rest costs.

It's in whatever a turn is played for (`shutthebox.odds.pick`), together with the chance to win if that's
something else, and known. Screen, page, voice and command print the unit they get.
"""

from __future__ import annotations

from shutthebox.odds.options import Advice, Option
from shutthebox.odds.pick import pick
from shutthebox.odds.strengths import Strength, by_odds, simple_answer
from shutthebox.odds.worths import Number, OddsError
from shutthebox.rules.match import Match


def advise(match: Match) -> Advice:
    """The current player's options, while the match awaits a throw or an answer.

    Raises:
        OddsError: the rules have no odds.
    """
    solver = pick(match.game).turn
    return Advice(_rank(solver.options(match)), solver.unit, _to_win(match))


def decide(match: Match, strength: Strength) -> int:
    """Decides for the computer: the tiles to shut or open (none to pass), or how many dice to throw."""
    if by_odds(match.turn, strength):
        try:
            advice = advise(match)
        except OddsError:
            pass
        else:
            options = (strength is Strength.MASTER and advice.to_win) or advice.options
            return options[0].choice if options else 0
    return simple_answer(match.rules, match.turn) if match.turn.awaits_answer else match.usual_dice


def _to_win(match: Match) -> tuple[Option, ...]:
    turn, win, _ = pick(match.game)
    if win is turn or win.why_not(match.players):
        return ()
    try:
        return _rank(win.options(match))
    except OddsError:
        return ()


def _rank(options: list[tuple[int, Number]]) -> tuple[Option, ...]:
    """Turns options with worths, best first, into options with costs."""
    return tuple(Option(choice, max(0.0, float(options[0][1] - worth))) for choice, worth in options)
