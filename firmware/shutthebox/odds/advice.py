"""Advice for the current player: what may be done, best first, and what the rest costs.

`advise` finds out what's being played for: chances to win on a shared row or in a tug, stakes against the
bank, or else points (throws, if they're the score), together with the chance to win if it's known. Screen,
page, voice and command print the unit they get.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from shutthebox.odds.bank import bank_play
from shutthebox.odds.evaluate import BestPlay
from shutthebox.odds.odds import odds_for_points
from shutthebox.odds.orders import has_chances, match_play, order_odds
from shutthebox.odds.strengths import Strength, by_odds, simple_answer
from shutthebox.odds.worths import Advice, Number, OddsError, Option, Unit
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Scoring, Stakes

_KEPT_GAMES = 4


def advise(match: Match) -> Advice:
    """The current player's options, while the match awaits a throw or an answer.

    Raises:
        OddsError: the rules have no odds.
    """
    if (chances := order_odds(match.game).options(match)) is not None:
        return Advice(_rank(chances), Unit.CHANCE)
    if match.game.stakes is Stakes.BANK:
        # The current player hasn't finished a turn, so the total is the head start.
        bank = _bank(match.own_rules, match.totals[match.player])
        return Advice(_rank(_firsts(bank, match)), Unit.STAKES)
    odds = odds_for_points(match.own_rules)
    unit = Unit.THROWS if odds.profile.score is Scoring.THROWS else Unit.POINTS
    return Advice(_rank(_firsts(odds.play, match)), unit, _to_win(match))


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
    simple = simple_answer if match.turn.awaits_answer else turns.usual_dice
    return simple(match.rules, match.turn)


def _to_win(match: Match) -> tuple[Option, ...]:
    if not has_chances(match.game, match.players):
        return ()
    try:
        return _rank(match_play(match).choices(match.turn))
    except OddsError:
        return ()


def _firsts(play: BestPlay, match: Match) -> list[tuple[int, Number]]:
    if match.stage is Stage.THROW:
        allowed = dice_allowed(match.rules, match.turn.open, match.turn.behind)
        if len(allowed) == 1:
            # A throw for everyone may need all dice where this row alone allows, or forces, one.
            return [(allowed[0], 0)]
    return [(choice, worth.first) for choice, worth in play.choices(match.turn)]


def _rank(options: Sequence[tuple[int, Number]] | Sequence[tuple[int, float]]) -> tuple[Option, ...]:
    """Turns options with worths, best first, into options with costs."""
    return tuple(Option(choice, max(0.0, float(options[0][1] - worth))) for choice, worth in options)


_bank = lru_cache(maxsize=_KEPT_GAMES)(bank_play)
