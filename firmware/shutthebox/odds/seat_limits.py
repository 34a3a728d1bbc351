"""The one place that says why a game's seats have no odds."""

from collections.abc import Iterator, Mapping
from enum import Enum

from shutthebox.odds.worths import OddsError
from shutthebox.rules.handicap import points_off, tiles_off
from shutthebox.rules.match import begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Blocked, First, MatchFormat, Profile, Scoring, Stakes, Tie, Turns, Win
from shutthebox.rules.writer import to_toml


class About(Enum):
    """A question about the seats.

    `ROUND` is each seat's chance in a single round; `MATCH`, its chance before every turn of a match, for
    hints and reviews; `HEAD_START`, the points that make a round of two fair.
    """

    ROUND = "round"
    MATCH = "match"
    HEAD_START = "head start"


def why_no_seat_odds(profile: Profile, players: int, about: About) -> str | None:
    """Why there are no such odds, naming the key; None if there are.

    The rules may still have too many positions, which only shows when they're enumerated.
    """
    for key, why in _OTHERS.get(profile.turns, _USUAL).reasons(profile, players, about):
        return f"{profile.name}: {key} = {to_toml(getattr(profile, key))}: {why}"
    return None


def check_seats(profile: Profile, players: int, about: About) -> None:
    """Checks that there are such odds.

    Raises:
        OddsError: there aren't; the text says why.
    """
    if why := why_no_seat_odds(profile, players, about):
        raise OddsError(why)


class _Limits:
    """The keys that rule out odds, and why; here for whole turns, and for orders of play without odds."""

    def reasons(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        yield from _reasons_of_seats(game, players, about)
        yield from self.of_turns(game, players, about)
        yield from _reasons_of_rounds(game, about)

    def of_turns(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if game.score is Scoring.THROWS:
            yield "score", "there are no odds against others if throws are the score"
        if game.blocked is Blocked.OPENS_ONE:
            yield "blocked", "there are no odds against others if tiles can open again"
        if not order_of(game).one_turn_each:
            yield "turns", "there are only odds for whole turns, one after the other"
        elif game.win is Win.FIRST_TO_SHUT:
            yield "win", "there are only odds for whole turns that are won by points"


class _SharedLimits(_Limits):
    def of_turns(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if about is not About.ROUND:
            yield from super().of_turns(game, players, about)


class _TogetherLimits(_Limits):
    def of_turns(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if any(points_off(game, seat) for seat in range(players)):
            yield "handicap", "one throw for everyone has no odds with head starts"
        for key, why in super().of_turns(game, players, about):
            if key != "turns" or about is not About.ROUND:
                yield key, why
        if about is About.ROUND:
            if players != 2:
                yield "turns", "one throw for everyone has odds for two players only"
            if game.blocked is Blocked.PASSES or game.insurance:
                key = "insurance" if game.insurance else "blocked"
                yield key, "one throw for everyone only has odds if a throw without a move counts"


class _TugLimits(_Limits):
    def reasons(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if about is About.HEAD_START:
            yield from super().reasons(game, players, about)
            return
        if players != order_of(game).seats(game, players):
            yield "turns", "it is for two players, or two teams"
        if game.first_move_must_include is not None:
            yield "first_move_must_include", "a tug has no odds with a tile that must go first"
        if game.match is not MatchFormat.TOTAL and about is About.MATCH:
            yield "match", "later rounds only have odds with totals"


_USUAL = _Limits()
_OTHERS: Mapping[Turns, _Limits] = {
    Turns.SHARED: _SharedLimits(),
    Turns.TOGETHER: _TogetherLimits(),
    Turns.TUG: _TugLimits(),
}


def _reasons_of_rounds(game: Profile, about: About) -> Iterator[tuple[str, str]]:
    if game.tie is Tie.CARRY:
        yield "tie", "there are no odds for a pool or a point that stays"
    if about is About.ROUND:
        return
    if game.match is not MatchFormat.TOTAL:
        yield "match", "later rounds only have odds with totals"
    if game.rounds != 1 and about is About.HEAD_START:
        yield "rounds", "a fair head start is for a single round"
    if game.stakes is Stakes.BANK:
        yield "stakes", "everybody plays against the bank, not against each other"
    if game.shut_others:
        yield "shut_others", "there are no odds for what a shut box costs everyone else"
    if game.rows == 2:
        yield "rows", "two rows have too many positions here"
    if game.insurance and about is About.MATCH:
        yield "insurance", "it has too many positions for each turn of a match"


def _reasons_of_seats(game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
    if game.is_solo:
        yield "match", "it is played alone"
    elif players == 1 and about is About.MATCH:
        yield "match", "there is nobody to play against"
    elif begin(game, players).in_teams:
        yield "teams", "there are no odds for teams"
    if any(tiles_off(game, seat) for seat in range(players)):
        yield "handicap", "there are no odds for head starts in tiles; use points"
    if any(points_off(game, seat) for seat in range(players)):
        if about is About.HEAD_START:
            yield "handicap", "the game has head starts of its own"
        if game.shut_others:
            # Without them, whoever has shut the box leads anyway, and the others keep their order.
            yield "shut_others", "there are no odds with head starts in points"
    if game.first is First.WINNER and game.tie is Tie.REPLAY_ALL and players > 2:
        yield "first", 'with tie = "replay-all", there are odds for two players only'
