"""The screens with which something ends: a turn, a match, and the signing of its winner."""

from collections.abc import Sequence
from fractions import Fraction

from shutthebox.game.menu import Translate
from shutthebox.game.mode import Mode
from shutthebox.game.prompts import player_name
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.state import State
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome


def turn_over_screen(state: State, match: Match, words: Translate) -> Screen:
    """What a turn has come to."""
    _ = words
    turn = match.turn
    match turn.outcome:
        case Outcome.SHUT:
            prompt = _("Shut the box!")
        case Outcome.LOST:
            prompt = _("Lost: no {tile} to shut").format(tile=match.profile.first_move_must_include)
        case Outcome.ENDED:
            prompt = _ends_turn_text(sum(turn.throw or ()), words)
        case _:
            prompt = _("Blocked by {total}").format(total=sum(turn.throw or ()))
    account = _account_rows(state, words)
    tiles = tuple(
        (tile, TileState.OPEN if turn.open & to_tiles([tile]) else TileState.SHUT)
        for tile in match.profile.tiles
    )
    return Screen(
        Mode.TURN_OVER,
        title=player_name(match, words),
        aside="+".join(map(str, turn.throw or ())),
        big=_("SHUT!") if turn.outcome is Outcome.SHUT else str(turn.score),
        rows=account,
        # The levers themselves show what is open; the score needs the room.
        tiles=() if account else tiles,
        prompt=prompt,
        alert=turn.outcome is not Outcome.SHUT,
    )


def _ends_turn_text(total: int, words: Translate) -> str:
    """Which total has ended the turn; English says "an 8", "an 11", "an 18" and "an 80"."""
    _ = words
    vowel = str(total).startswith("8") or total in (11, 18)
    text = _("An {total} ends the turn") if vowel else _("A {total} ends the turn")
    return text.format(total=total)


def _account_rows(state: State, words: Translate) -> tuple[str, ...]:
    """What the turn's score is made of: its value, the dice and the decisions."""
    account = state.account
    if account is None:
        return ()
    return (_luck_text(state, account.luck, account.given_away, words),)


def _luck_text(state: State, luck: Fraction, given_away: Fraction, words: Translate) -> str:
    """What the dice did and the decisions cost, in points; no sign has to be understood."""
    _ = words
    assert state.match is not None, "an account is of a match"
    lucky = (luck >= 0) == state.match.profile.highest_wins or not luck
    text = _("lucky {luck}, cost you {cost}") if lucky else _("unlucky {luck}, cost you {cost}")
    return text.format(luck=f"{abs(float(luck)):.1f}", cost=f"{float(given_away):.1f}")


def initials_screen(state: State, match: Match, words: Translate) -> Screen:
    """The winner signs."""
    assert match.result is not None, "only a winner signs"
    return Screen(
        Mode.INITIALS,
        title=words("Player {player}: initials").format(player=match.result.winners[0] + 1),
        big=f"{state.signed}{state.letter}".ljust(3, "_"),
        prompt=words("Levers 1 and 2, press"),
    )


def match_over_screen(state: State, match: Match, words: Translate) -> Screen:
    """Who has won, the table, and who owes what."""
    _ = words
    result = match.result
    assert result is not None, "a finished match has a result"
    names = ", ".join(str(winner + 1) for winner in result.winners)
    if match.players == 1:
        title = _solo_title(match, words)
    elif len(result.winners) > 1:
        title = _("Shared by {players}").format(players=names)
    elif result.captain:
        title = _("Captain {player} wins!").format(player=names)
    else:
        title = _("Player {player} wins!").format(player=names)
    rows = tuple(_result_row(match, state.ledger, i, words) for i in range(match.players))
    if any(state.luck) or any(state.given_away):
        rows += tuple(
            f"{i}: {_luck_text(state, luck, given, words)}"
            for i, (luck, given) in enumerate(zip(state.luck, state.given_away, strict=True), 1)
        )
    cursor = result.winners[0] if result.winners else None
    return Screen(Mode.MATCH_OVER, title=title, rows=rows, cursor=cursor, prompt=_("Press: play again"))


def _solo_title(match: Match, words: Translate) -> str:
    """A player alone beats nobody: the score is what there is to say."""
    _ = words
    if match.result is not None and match.result.captain:
        return _("Captain!")
    if match.turn.outcome is Outcome.SHUT:
        return _("You shut the box!")
    return _("Your score: {score}").format(score=match.totals[0])


def _result_row(match: Match, ledger: Sequence[Fraction], player: int, words: Translate) -> str:
    score = "-" if match.scores[player] is None else str(match.totals[player])
    return f"{player + 1}: {score}{_owes_text(ledger[player], words)}"


def _owes_text(owes: Fraction, words: Translate) -> str:
    """What a player owes or gets, with a space before it; empty for nothing."""
    if owes > 0:
        return " " + words("owes {stakes}").format(stakes=owes)
    if owes < 0:
        return " " + words("gets {stakes}").format(stakes=-owes)
    return ""
