"""What the box says during a turn: what to do next, what is wrong, and why it refuses."""

from shutthebox.game.judge import Verdict, VerdictKind, viable
from shutthebox.game.menu import Translate
from shutthebox.game.mode import Mode
from shutthebox.game.state import State
from shutthebox.odds.advice import Hint
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, MoveKind
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles
from shutthebox.rules.turn import Refusal

MOST_HINTS = 9
"""Answers that a hint ranks."""

MOST_ANSWERS = 4
"""Answers that a prompt names; with nine dice there can be hundreds."""

_FAULTS = (VerdictKind.PUT_BACK, VerdictKind.LIFT, VerdictKind.OVER, VerdictKind.DEAD_END)


def player_name(match: Match, words: Translate) -> str:
    """How the player whose turn it is is addressed."""
    return words("Player {number}").format(number=match.player + 1)


def prompt_for(state: State, match: Match, words: Translate) -> tuple[str, bool]:
    """What to do next in a turn, and whether that reports a fault."""
    _ = words
    if state.verdict.kind in _FAULTS:
        return fault_text(state, words), True
    if state.answer is not None:
        return _computer_prompt(state, match, state.answer, words), False
    if state.verdict.kind is not VerdictKind.OK:
        return _verdict_text(state.verdict, words), False
    if state.mode is Mode.RAISE:
        return _("Lift all levers"), False
    if state.mode is Mode.FLIPPING:
        if turns.reopenings(match.profile, match.turn):
            return _("No move: lift one tile"), False
        if not turns.answers(match.profile, match.turn):
            return _("No move: press"), False
        return _("Shut {answers}").format(answers=answers_text(match, words)), False
    if match.profile.draw is Draw.DOMINOES:
        return _("Press to draw"), False
    allowed = dice_allowed(match.profile, match.turn.open)
    if len(allowed) > 1:
        return _("Press {dice}, hold 1 die").format(dice=allowed[0]), False
    if allowed == (1,) and match.profile.dice > 1:
        return _("Press: one die"), False
    return _("Press to throw"), False


def answers_text(match: Match, words: Translate) -> str:
    """What can be shut for the throw: the totals, or where they do not say enough the tiles.

    For example ``8``, ``8 or 4``, ``8 with 2``, ``3+5 or 8``; cut after `MOST_ANSWERS`.
    """
    profile, legal = match.profile, turns.answers(match.profile, match.turn)
    if profile.move is MoveKind.SET:
        found = sorted({str(sum_of(move)) for move in legal}, key=int, reverse=True)
    else:
        highest_first = sorted(legal, key=lambda move: (move.bit_count(), -move))
        found = ["+".join(map(str, to_numbers(move))) for move in highest_first]
    if len(found) > MOST_ANSWERS:
        listed = ", ".join(found[:MOST_ANSWERS]) + " …"
    else:
        listed = words(" or ").join(filter(None, (", ".join(found[:-1]), found[-1])))
    must = profile.first_move_must_include
    if profile.move is MoveKind.SET and must is not None and not match.turn.moves:
        return words("{answers} with {tile}").format(answers=listed, tile=must)
    return listed


def _computer_prompt(state: State, match: Match, answer: Tiles, words: Translate) -> str:
    """What a hand has to do for the computer."""
    if not answer:
        return words("No move: press")
    if turns.reopenings(match.profile, match.turn):
        return words("Lift {tiles}").format(tiles=", ".join(map(str, to_numbers(answer))))
    rest = to_numbers(answer & ~state.levers)
    return words("Computer: flip {tiles}").format(tiles=", ".join(map(str, rest)))


def _verdict_text(verdict: Verdict, words: Translate) -> str:
    """The judge's verdict in words."""
    _ = words
    tiles = ", ".join(map(str, verdict.tiles))
    match verdict.kind:
        case VerdictKind.PUT_BACK:
            return _("Put {tiles} back").format(tiles=tiles)
        case VerdictKind.LIFT:
            return _("Lift {tiles}").format(tiles=tiles)
        case VerdictKind.COMPLETE:
            return _("Right! Press to go on")
        case VerdictKind.MISSING:
            return _("{points} to go").format(points=verdict.amount)
        case VerdictKind.OVER:
            return _("{points} too many").format(points=verdict.amount)
        case VerdictKind.DEAD_END:
            return _("Does not fit: lift one")
        case VerdictKind.OK:
            return ""


def fault_text(state: State, words: Translate) -> str:
    """The verdict in words, and whether a lever rather than a hand seems to be the reason."""
    _ = words
    fault, wrong = _verdict_text(state.verdict, words), to_tiles(state.verdict.tiles)
    if wrong & state.stuck:
        return _("{fault}: stuck?").format(fault=fault)
    if wrong & state.dead:
        return _("{fault}: no contact?").format(fault=fault)
    return fault


def commit_refusal(state: State, match: Match, words: Translate) -> str:
    """Why a press cannot commit what the levers show, in words."""
    verdict = state.verdict
    if turns.reopenings(match.profile, match.turn) and verdict.kind is VerdictKind.OK:
        return words("No move: lift one tile")
    if verdict.kind is VerdictKind.OK:
        least = min(sum_of(move) for move in turns.answers(match.profile, match.turn))
        text = words("{points} to go").format(points=least)
    else:
        text = fault_text(state, words)
    missing = state.dead & viable(match.profile, match.turn, state.levers)
    if missing and verdict.kind in (VerdictKind.OK, VerdictKind.MISSING):
        return words("{fault}: lever {tile}?").format(fault=text, tile=to_numbers(missing)[0])
    return text


def refusal_text(refusal: Refusal, words: Translate) -> str:
    """Why a number of dice cannot be thrown, in words."""
    _ = words
    match refusal:
        case Refusal.ONE_DIE_NEVER:
            return _("Never one die here")
        case Refusal.ONE_DIE_NOT_YET:
            return _("Not one die yet")
        case Refusal.ONE_DIE_ONLY:
            return _("One die now")


def hint_lines(hint: Hint) -> tuple[str, ...]:
    """The best answers to a throw and what the others cost in points, the best first."""
    return tuple(
        f"{','.join(map(str, to_numbers(move.tiles)))}\t+{move.cost:.2f}" for move in hint.moves[:MOST_HINTS]
    )
