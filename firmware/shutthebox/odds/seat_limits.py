"""Why the seats of a game have no odds: the one place that says so, to whoever asks."""

from collections.abc import Iterator, Mapping
from enum import Enum

from shutthebox.odds.worths import OddsError
from shutthebox.rules.handicap import points_off, tiles_off
from shutthebox.rules.match import begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Blocked, First, MatchFormat, Profile, Scoring, Stakes, Tie, Turns, Win
from shutthebox.rules.writer import to_toml


class About(Enum):
    """What is asked about the seats.

    `ROUND` is the chance of each in a round alone; `MATCH` that before every turn of a match, which hints and
    reviews speak of; `HEAD_START` the points that make a round of two fair.
    """

    ROUND = "round"
    MATCH = "match"
    HEAD_START = "head start"


def why_no_seat_odds(profile: Profile, players: int, about: About) -> str | None:
    """Why this isn't worked out, with the key that is to blame; None if it is.

    Rules may still have too many positions, which shows only as they are gone through.
    """
    for key, why in _OTHERS.get(profile.turns, _USUAL).reasons(profile, players, about):
        return f"{profile.name}: {key} = {to_toml(getattr(profile, key))}: {why}"
    return None


def check_seats(profile: Profile, players: int, about: About) -> None:
    """Checks that this is worked out.

    Raises:
        OddsError: if not, with the reason.
    """
    if why := why_no_seat_odds(profile, players, about):
        raise OddsError(why)


class _Limits:
    """By order of play each key that is to blame, and why; here of whole turns and of those without odds."""

    def reasons(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        yield from _reasons_of_seats(game, players, about)
        yield from self.of_turns(game, players, about)
        yield from _reasons_of_rounds(game, about)

    def of_turns(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if game.score is Scoring.THROWS:
            yield "score", "play against others is not worked out where throws count"
        if game.blocked is Blocked.OPENS_ONE:
            yield "blocked", "play against others is not worked out where tiles are opened again"
        if not order_of(game).one_turn_each:
            yield "turns", "only whole turns are worked out, one after the other"
        elif game.win is Win.FIRST_TO_SHUT:
            yield "win", "only whole turns that are won by points are worked out"


class _SharedLimits(_Limits):
    def of_turns(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if about is not About.ROUND:
            yield from super().of_turns(game, players, about)


class _TogetherLimits(_Limits):
    def of_turns(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if any(points_off(game, seat) for seat in range(players)):
            yield "handicap", "head starts are not worked out for one throw for everyone"
        for key, why in super().of_turns(game, players, about):
            if key != "turns" or about is not About.ROUND:
                yield key, why
        if about is About.ROUND:
            if players != 2:
                yield "turns", "one throw for everyone is worked out for two players only"
            if game.blocked is Blocked.PASSES or game.insurance:
                key = "insurance" if game.insurance else "blocked"
                yield key, "one throw for everyone is worked out where a throw without a move counts"


class _TugLimits(_Limits):
    def reasons(self, game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
        if about is About.HEAD_START:
            yield from super().reasons(game, players, about)
            return
        if players != order_of(game).seats(game, players):
            yield "turns", "it is for two players, or two teams"
        if game.first_move_must_include is not None:
            yield "first_move_must_include", "a tile that goes first is not worked out in a tug"
        if game.match is not MatchFormat.TOTAL and about is About.MATCH:
            yield "match", "what later rounds are worth is worked out for totals only"


_USUAL = _Limits()
_OTHERS: Mapping[Turns, _Limits] = {
    Turns.SHARED: _SharedLimits(),
    Turns.TOGETHER: _TogetherLimits(),
    Turns.TUG: _TugLimits(),
}


def _reasons_of_rounds(game: Profile, about: About) -> Iterator[tuple[str, str]]:
    if game.tie is Tie.CARRY:
        yield "tie", "what a pool or a point that stays is worth is not worked out"
    if about is About.ROUND:
        return
    if game.match is not MatchFormat.TOTAL:
        yield "match", "what later rounds are worth is worked out for totals only"
    if game.rounds != 1 and about is About.HEAD_START:
        yield "rounds", "a fair head start is worked out for one round"
    if game.stakes is Stakes.BANK:
        yield "stakes", "everybody plays against the bank, not against each other"
    if game.shut_others:
        yield "shut_others", "what a shut box costs everyone else is not worked out here"
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
        yield "teams", "the chances of teams are not worked out"
    if any(tiles_off(game, seat) for seat in range(players)):
        yield "handicap", "head starts in tiles are not worked out; allowed are those in points"
    if any(points_off(game, seat) for seat in range(players)):
        if about is About.HEAD_START:
            yield "handicap", "the game has head starts of its own"
        if game.shut_others:
            # Without them whoever has shut the box leads anyway, and the others keep their order.
            yield "shut_others", "with head starts in points it is not worked out"
    if game.first is First.WINNER and game.tie is Tie.REPLAY_ALL and players > 2:
        yield "first", 'with tie = "replay-all" it is worked out for two players only'
