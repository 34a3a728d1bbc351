"""The common parts of a turn's screens: title, corner, row of tiles, prompt."""

from shutthebox.game.board import Board
from shutthebox.game.judge import Verdict, VerdictKind
from shutthebox.game.lever_health import complaint
from shutthebox.game.lever_tiles import lever_tiles
from shutthebox.game.messages import Message, Text, message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay, board_of, offset_of
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.state import Shared
from shutthebox.game.wording import MAX_NAMED, fault_text, list_tiles, player_name
from shutthebox.rules.handicap import points_off
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MatchFormat, Stakes, Tie
from shutthebox.rules.rows import parts
from shutthebox.rules.tiles import Tiles, to_tiles


def turn_screen(
    mode: Mode,
    play: MatchInPlay,
    shared: Shared,
    *,
    prompt: Text = "",
    also: tuple[Text, ...] = (),
    dice: tuple[int, ...] = (),
    big: Text = "",
    fits: bool = True,
    lit: bool = False,
) -> Screen:
    """The screen of a turn, including what's wrong with the levers, if anything.

    Args:
        mode: which.
        play: the match.
        shared: what all modes know.
        prompt: what to do next.
        also: what else can be done, if the levers are right.
        dice: the throw on the table.
        big: a word or number to show when there are no dice.
        fits: whether the tiles that still fit blink.
        lit: whether a press does something.
    """
    match, board = play.match, board_of(play, shared)
    wrong = play.verdict.is_fault
    alert: Text = fault_text(play.verdict, shared) if wrong else ""
    now = lever_tiles(match.rules, board.standing, board.offset)
    if wrong:
        named = [tile for tile in now if tile.lever in play.verdict.tiles]
        also = tuple(tile.text for tile in named if tile.at_back)[:MAX_NAMED]
        # The alert speaks of levers, so these have their own numbers.
        now = tuple(tile.as_lever if tile in named else tile for tile in now)
    corner = _seconds_text(play) or (message("same throw") if match.answers_of_others else corner_text(match))
    first = mode is Mode.READY and not match.turn.throws
    if first:
        alert = alert or complaint(shared) or ""
        if match.scores[match.player] is None:
            out = shared.settings.out & match.game.all_tiles & ~match.game.starting
            out |= match.game.starting & ~match.rules.starting
            corner = without_text(out) if out else _seat_text(match) or corner
        elif not match.ledger.carried:
            corner = total_text(match) or corner
    if match.round.common is not None and match.answers_of_others:
        title: Text = message("Answer: {player}", player=player_name(match.player, shared))
    elif dice or match.turn.throws:
        title = player_name(match.player, shared)
    else:
        title = title_text(match.rules, shared.settings.box.language)
    return Screen(
        mode,
        title=title,
        aside=corner,
        dice=dice,
        total=sum(dice) if dice else None,
        big=big,
        tiles=tile_row(mode, board, play.verdict, fits=fits),
        lever_tiles=now,
        alert=alert,
        prompt=prompt,
        also=also,
        lit=lit,
    )


def corner_text(match: Match) -> Text:
    """The round, or the best score so far, which is the one to beat."""
    rules = match.rules
    if match.round.tie_rounds:
        return message("all again") if rules.tie is Tie.REPLAY_ALL else message("play-off")
    has_carried = rules.tie is Tie.CARRY and bool(rules.has_pool or match.ledger.carried)
    if has_carried and not match.turn.throws:
        return _pool_text(match)
    if rules.insurance:
        return message("insured {count}", count=match.turn.misses_left).say_as("Insurance markers: {count}")
    if rules.strikes > 1:
        left = match.turn.misses_left + 1
        return message("strikes left {count}", count=left).say_as("Strikes left: {count}")
    if rules.is_solo:
        goal = rules.limit
        return "" if goal is None else message("best {score}", score=goal).say_as("Best so far: {score}")
    if rules.stakes is Stakes.BANK or match.in_teams or match.order_of_play.one_row:
        return ""
    if has_carried:
        return _pool_text(match)
    if not rules.has_rounds and rules.match is not MatchFormat.TOTAL:
        return message("round {round}", round=match.round.number).say_as("Round {round}")
    if match.rounds > 1 and match.round.number <= match.rounds:
        return message("round {round}/{rounds}", round=match.round.number, rounds=match.rounds).say_as(
            "Round {round} of {rounds}"
        )
    played = [score for i, score in enumerate(match.scores) if score is not None and i != match.player]
    if not played or not match.order_of_play.has_points:
        return ""
    best = max if rules.highest_wins else min
    return message("best {score}", score=best(played)).say_as("Best so far: {score}")


def _pool_text(match: Match) -> Message:
    """What the round is worth: the pool, or points."""
    if match.rules.has_pool:
        stakes = match.ledger.pool + len(match.round.seats) * (not match.ledger.settled)
        return message("pool {stakes}", stakes=stakes).say_as("In the pool: {stakes}")
    return message("for {points}", points=1 + match.ledger.carried).say_as(
        "The round is worth 1 point", "The round is worth {points} points"
    )


def total_text(match: Match) -> Message | None:
    """The points so far of the current player, or of the team, in a match over several rounds."""
    rules = match.rules
    if (rules.match is MatchFormat.TOTAL and match.rounds == 1) or rules.is_solo or match.round.tie_rounds:
        return None
    if rules.stakes is Stakes.BANK or not match.has_totals:
        return None
    total = match.team_totals[match.player]
    if rules.counts_rounds_won:
        return message("won {rounds}", rounds=total).say_as("Points: {rounds}")
    return message("total {total}", total=total)


def _seconds_text(play: MatchInPlay) -> Text:
    """The time left, while a clock runs."""
    if play.clock is None:
        return ""
    return message("{seconds} s", seconds=play.clock.shown_s).say_as("1 second", "{seconds} seconds")


def _seat_text(match: Match) -> Text:
    """The seat's team, or its head start in points; empty without."""
    if points := points_off(match.rules, match.player):
        return message("head start {points}", points=points)
    if match.in_teams:
        return message("team {number}", number=match.player % match.teams + 1)
    return ""


def without_text(out: Tiles) -> Message:
    """Which levers are out of play."""
    return message("without {tiles}", tiles=list_tiles(out))


def tile_row(
    mode: Mode, board: Board, verdict: Verdict, *, fits: bool = True
) -> tuple[tuple[int, TileState], ...]:
    """The tiles of the box by their levers, each with its state.

    On a box with levers for both rows those at the back come first.

    Args:
        mode: which.
        board: the levers as they stand.
        verdict: on them.
        fits: whether to show the tiles that still fit.
    """
    rules, turn, offset = board.rules, board.standing, board.offset
    flipped, both = parts(rules, board.flipped)
    wrong_tiles, wrong_levers = 0, to_tiles(verdict.tiles)
    if verdict.kind is VerdictKind.COMPLETE:
        wrong_levers = 0
    if verdict.kind in (VerdictKind.OVER, VerdictKind.DEAD_END):
        wrong_tiles, _ = parts(rules, verdict.move)
    if verdict.kind is (VerdictKind.LIFT if turn.opens else VerdictKind.PUT_BACK) and not turn.awaits_answer:
        # The row is being set for another player: all that is wrong, not only the first kind.
        wrong_tiles = flipped
    can_go, can_follow = parts(rules, board.can_follow if fits and mode is Mode.FLIPPING else 0)

    def state_of(tile: Tiles, lever: int, *, stands: bool, is_next: bool = True) -> TileState:
        if (is_next and tile & wrong_tiles) or to_tiles([lever]) & wrong_levers:
            return TileState.WRONG
        if not stands:
            return TileState.SHUT
        if is_next and tile & flipped and mode is Mode.FLIPPING:
            return TileState.FLIPPED
        return TileState.VIABLE if is_next and tile & can_go else TileState.OPEN

    row = [(number, to_tiles([number])) for number in rules.tiles]
    if not offset:
        states = tuple((n, state_of(tile, n, stands=bool(tile & turn.open))) for n, tile in row)
        if not turn.opens:
            return states
        # What the player has to move is shut, and the rest of the row stands.
        return tuple(
            (n, _UPSIDE_DOWN[state] if to_tiles([n]) & rules.starting else state) for n, state in states
        )
    # A tile of the back row is next once the one in front of it is shut.
    back = [(n + offset, tile, bool(tile & turn.open), not tile & turn.behind) for n, tile in row]
    front = [(n, tile, bool(tile & turn.behind), bool(tile & turn.behind)) for n, tile in row]
    shown = [
        (lever, state_of(tile, lever, stands=stands, is_next=is_next))
        for lever, tile, stands, is_next in (*back, *front)
    ]
    if rules.through and mode is Mode.FLIPPING:
        # The tile behind one that goes with it.
        for at, (lever, tile, _, is_next) in enumerate(back):
            if not is_next and shown[at][1] is TileState.OPEN:
                if tile & both:
                    shown[at] = lever, TileState.FLIPPED
                elif tile & can_follow & flipped:
                    shown[at] = lever, TileState.VIABLE
    return tuple(shown)


_UPSIDE_DOWN = {
    TileState.OPEN: TileState.SHUT,
    TileState.SHUT: TileState.OPEN,
    TileState.VIABLE: TileState.OPENABLE,
    TileState.FLIPPED: TileState.OPENED,
    TileState.WRONG: TileState.WRONG,
}
"""The state of a tile where the player opens tiles, by that where the player shuts them."""


def with_ended_row(screen: Screen, match: Match, shared: Shared) -> Screen:
    """The screen with the tiles as the finished turn left them."""

    def row(open_tiles: Tiles, beyond: int = 0) -> tuple[tuple[int, TileState], ...]:
        return tuple(
            (tile + beyond, TileState.OPEN if open_tiles & to_tiles([tile]) else TileState.SHUT)
            for tile in match.rules.tiles
        )

    turn, offset = match.turn, offset_of(match, shared)
    tiles = (*row(turn.open, offset), *row(turn.behind)) if offset else row(match.standing)
    return screen._replace(tiles=tiles, lever_tiles=lever_tiles(match.rules, turn, offset))
