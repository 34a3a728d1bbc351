"""What the screens of a turn have in common: the title, the corner, the row of tiles, the prompt."""

from shutthebox.game.judge import VerdictKind, viable
from shutthebox.game.lever_health import complaint
from shutthebox.game.messages import Message, Text, message, told
from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.state import View
from shutthebox.game.wording import fault_text, listed, player_name, verdict_text
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MatchFormat
from shutthebox.rules.tiles import Tiles, to_tiles

_WRONG = (VerdictKind.PUT_BACK, VerdictKind.LIFT, VerdictKind.OVER, VerdictKind.DEAD_END)


def turn_screen(
    mode: Mode,
    play: MatchInPlay,
    view: View,
    *,
    prompt: Text,
    dice: tuple[int, ...] = (),
    big: Text = "",
    only: Tiles | None = None,
    lit: bool = False,
) -> Screen:
    """The screen of a turn.

    Args:
        mode: which.
        play: the match.
        view: language and levers.
        prompt: what to do next, where the levers are right.
        dice: the throw on the table.
        big: a word or number where there are no dice.
        only: the answer that the computer has chosen; None if a person plays.
        lit: a press does something.
    """
    match, shared, _ = play.match, view.shared, view.translate
    wrong = play.verdict.kind in _WRONG
    if wrong:
        prompt = fault_text(play.verdict, shared)
    elif play.verdict.kind is not VerdictKind.OK and only is None:
        prompt = verdict_text(play.verdict)
    corner = corner_text(match)
    first = mode is Mode.READY and not match.turn.throws
    if first:
        ailing = complaint(shared)
        if ailing and not wrong:
            prompt, wrong = ailing, True
        if match.scores[match.player] is None:
            out = shared.settings.out & match.profile.all_tiles & ~match.profile.starting
            corner = without_text(out) if out else corner
    by_name = bool(dice or match.turn.throws)
    return Screen(
        mode,
        title=told(player_name(match), _) if by_name else match.profile.title(shared.settings.language, _),
        aside=told(corner, _),
        dice=dice,
        total=sum(dice) if dice else None,
        big=told(big, _),
        tiles=tile_row(mode, play, shared.levers, only),
        prompt=told(prompt, _),
        alert=wrong,
        lit=lit,
    )


def corner_text(match: Match) -> Text:
    """The round, or the best score so far, which the player has to beat."""
    if match.tie_rounds:
        return message("play-off")
    if match.profile.match is not MatchFormat.TOTAL:
        return str(match.round)
    if match.rounds > 1:
        return f"{match.round}/{match.rounds}"
    played = [score for i, score in enumerate(match.scores) if score is not None and i != match.player]
    if not played:
        return ""
    best = max if match.profile.highest_wins else min
    return message("best {score}", score=best(played))


def without_text(out: Tiles) -> Message:
    """Which levers are out of play."""
    return message("without {tiles}", tiles=listed(out))


def tile_row(
    mode: Mode, play: MatchInPlay, levers: Tiles, only: Tiles | None = None
) -> tuple[tuple[int, TileState], ...]:
    """The tiles of the box, each with how the levers and the game see it."""
    profile, turn, verdict = play.match.profile, play.match.turn, play.verdict
    down = levers & profile.starting
    wrong = to_tiles(verdict.tiles)
    if verdict.kind is VerdictKind.COMPLETE:
        wrong = 0
    if verdict.kind in (VerdictKind.OVER, VerdictKind.DEAD_END):
        wrong = verdict.move
    if verdict.kind is VerdictKind.PUT_BACK and not turn.awaits_answer:
        # The row is being set for another player: all that is wrong, not only the first kind.
        wrong |= down & turn.open
    can_go = viable(profile, turn, down) if mode is Mode.FLIPPING else 0
    if only is not None:
        can_go &= only

    def state_of(tile: int) -> TileState:
        bit = to_tiles([tile])
        if bit & wrong:
            return TileState.WRONG
        if bit & ~turn.open:
            return TileState.SHUT
        if bit & down and mode is Mode.FLIPPING:
            return TileState.FLIPPED
        return TileState.VIABLE if bit & can_go else TileState.OPEN

    return tuple((tile, state_of(tile)) for tile in profile.tiles)
