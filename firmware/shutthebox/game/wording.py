"""What the box says of throws, levers and refusals. Each thing is worded here once, for all modes."""

from fractions import Fraction

from shutthebox.game.judge import Verdict, VerdictKind, viable
from shutthebox.game.messages import Message, Text, message
from shutthebox.game.play import MatchInPlay
from shutthebox.game.state import Shared
from shutthebox.odds.hints import Hint
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MoveKind, Profile
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles
from shutthebox.rules.turn import Refusal

MOST_HINTS = 9
"""Answers that a hint ranks."""

MOST_ANSWERS = 4
"""Answers that a prompt names; with nine dice there can be hundreds."""

REFUSALS: dict[Refusal, Message] = {
    Refusal.ONE_DIE_NEVER: message("Never one die here"),
    Refusal.ONE_DIE_NOT_YET: message("Not one die yet"),
    Refusal.ONE_DIE_ONLY: message("One die now"),
}
"""Why a number of dice cannot be thrown."""


def listed(tiles: Tiles | tuple[int, ...]) -> str:
    """Tile numbers as they are shown: ``2, 9``."""
    numbers = to_numbers(tiles) if isinstance(tiles, int) else tiles
    return ", ".join(map(str, numbers))


def player_name(match: Match) -> Message:
    """How the player at turn is addressed."""
    return message("Player {number}", number=match.player + 1)


def verdict_text(verdict: Verdict) -> Message:
    """The judge's verdict; empty where there is nothing to say."""
    match verdict.kind:
        case VerdictKind.PUT_BACK:
            return message("Put {tiles} back", tiles=listed(verdict.tiles))
        case VerdictKind.LIFT:
            return message("Lift {tiles}", tiles=listed(verdict.tiles))
        case VerdictKind.COMPLETE:
            return message("Right! Press to go on")
        case VerdictKind.MISSING:
            return message("{points} to go", points=verdict.amount)
        case VerdictKind.OVER:
            return message("{points} too many", points=verdict.amount)
        case VerdictKind.DEAD_END:
            return message("Does not fit: lift one")
        case VerdictKind.OK:
            return Message("")


def fault_text(verdict: Verdict, shared: Shared) -> Message:
    """The verdict, and whether a lever rather than a hand seems to be the reason."""
    fault, wrong = verdict_text(verdict), to_tiles(verdict.tiles)
    if wrong & shared.stuck:
        return message("{fault}: stuck?", fault=fault)
    if wrong & shared.dead:
        return message("{fault}: no contact?", fault=fault)
    return fault


def answers_text(match: Match) -> Message:
    """What can be shut for the throw: the totals, or where they do not say enough the tiles.

    For example ``8``, ``8 or 4``, ``8 with 2``, ``3+5 or 8``; cut after `MOST_ANSWERS`.
    """
    profile, legal = match.profile, turns.answers(match.profile, match.turn)
    if profile.move is MoveKind.SET:
        found = sorted({str(sum_of(move)) for move in legal}, key=int, reverse=True)
    else:
        highest_first = sorted(legal, key=lambda move: (move.bit_count(), -move))
        found = ["+".join(map(str, to_numbers(move))) for move in highest_first]
    *first, last = found
    answers: Text
    if len(found) > MOST_ANSWERS:
        answers = ", ".join(found[:MOST_ANSWERS]) + " …"
    elif first:
        answers = message("{some} or {last}", some=", ".join(first), last=last)
    else:
        answers = last
    must = profile.first_move_must_include
    if profile.move is MoveKind.SET and must is not None and not match.turn.moves:
        return message("Shut {answers} with {tile}", answers=answers, tile=must)
    return message("Shut {answers}", answers=answers)


def commit_refusal(play: MatchInPlay, shared: Shared) -> Message:
    """Why a press cannot commit what the levers show."""
    match, verdict = play.match, play.verdict
    if turns.reopenings(match.profile, match.turn) and verdict.kind is VerdictKind.OK:
        return message("No move: lift one tile")
    if verdict.kind is VerdictKind.OK:
        least = min(sum_of(move) for move in turns.answers(match.profile, match.turn))
        text = message("{points} to go", points=least)
    else:
        text = fault_text(verdict, shared)
    missing = shared.dead & viable(match.profile, match.turn, shared.levers)
    if missing and verdict.kind in (VerdictKind.OK, VerdictKind.MISSING):
        return message("{fault}: lever {tile}?", fault=text, tile=to_numbers(missing)[0])
    return text


def hint_lines(hint: Hint) -> tuple[str, ...]:
    """The best answers to a throw and what the others cost in points, the best first."""
    return tuple(
        f"{','.join(map(str, to_numbers(move.tiles)))}\t+{move.cost:.2f}" for move in hint.moves[:MOST_HINTS]
    )


def luck_text(profile: Profile, luck: Fraction, given_away: Fraction) -> Message:
    """What the dice did and the decisions cost, in points; no sign has to be understood.

    Args:
        profile: says whether more points are better.
        luck: points that the dice have added to the score.
        given_away: points that decisions have cost, 0 or more.
    """
    points, cost = f"{abs(float(luck)):.1f}", f"{float(given_away):.1f}"
    if not luck or (luck > 0) == profile.highest_wins:
        return message("lucky {luck}, cost you {cost}", luck=points, cost=cost)
    return message("unlucky {luck}, cost you {cost}", luck=points, cost=cost)
