"""``shutthebox odds`` of a tug: the chance of the current player to move the last tile."""

from dataclasses import dataclass

from shutthebox.cli.odds_text import percent, tidy
from shutthebox.odds.pick import pick
from shutthebox.rules.match import begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_text
from shutthebox.rules.turn import Turn, start


@dataclass(frozen=True, slots=True)
class _Tug:
    """The current player's chances: now, by number of dice, and by answer; the best come first."""

    win: float
    dice: list[tuple[int, float]]
    moves: list[tuple[Tiles, float]]

    @property
    def one_die(self) -> bool | None:
        """Whether one die is best; None if there's no choice."""
        return self.dice[0][0] == 1 if len(self.dice) > 1 else None


def _ask(profile: Profile, turn: Turn) -> _Tug:
    solver, match = pick(profile).win, begin(profile, order_of(profile).seats(profile, 2))
    match = match._replace(round=match.round._replace(rows=(turn, *match.round.rows[1:])))
    win = float(solver.worth(match))
    if turn.outcome is not None:
        return _Tug(win, [], [])
    match = match._replace(stage=Stage.ANSWER if turn.awaits_answer else Stage.THROW)
    options = [(choice, float(worth)) for choice, worth in solver.options(match)]
    return _Tug(win, [], options) if turn.awaits_answer else _Tug(win, options, [])


def tug_document(profile: Profile, turn: Turn) -> dict[str, object]:
    """The odds of a position as JSON: chances to win, 0 to 1."""
    found, moves = _ask(profile, turn), None
    if turn.throw is not None:
        moves = [{"tiles": list(to_numbers(tiles)), "win": tidy(win)} for tiles, win in found.moves]
    return {
        "profile": profile.name,
        "open": list(to_numbers(turn.open)),
        "win": tidy(found.win),
        "one_die": found.one_die,
        "moves": moves,
    }


def tug_text(profile: Profile, turn: Turn) -> str:
    """The odds of a position as lines of text."""
    found = _ask(profile, turn)
    row = " ".join(map(str, to_numbers(turn.open)))
    thrown = f", {'+'.join(map(str, turn.throw))} thrown" if turn.throw else ""
    lines = [f"{profile.title()}: {row} to move{thrown} (both playing for the win)", ""]
    if turn == start(profile):
        lines += [f"whoever begins wins  {percent(found.win)}", f"the other wins   {percent(1 - found.win)}"]
    else:
        lines.append(f"chance to win    {percent(found.win)}")
    if found.one_die is not None:
        lines.append(f"best to throw    {'one die' if found.one_die else f'{profile.dice} dice'}")
    if turn.throw is not None and not found.moves:
        lines += ["", f"no move: the turn {'goes on' if turn.outcome is None else f'is {turn.outcome}'}"]
    elif found.moves:
        best = found.moves[0][1]
        lines += ["", f"{'move':<16} {'to win':>9} {'costs':>9}"]
        lines += [
            f"{to_text(tiles):<16} {percent(win):>9} {percent(best - win):>9}" for tiles, win in found.moves
        ]
    return "\n".join(lines)
