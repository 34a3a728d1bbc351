"""``shutthebox odds --players``: every seat's chance to win when all play their best."""

from __future__ import annotations

from dataclasses import dataclass

from shutthebox.cli.odds_text import percent, tidy
from shutthebox.errors import ShutTheBoxError
from shutthebox.odds.bank import Bank
from shutthebox.odds.pick import pick
from shutthebox.odds.seats import Equilibrium, Prize
from shutthebox.odds.solver import About
from shutthebox.odds.worths import End
from shutthebox.rules.match import begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import MAX_PLAYERS, MatchFormat, Profile, Stakes


class PlayersError(ShutTheBoxError, ValueError):
    """A bad option; the message names it and what's allowed."""


@dataclass(frozen=True, slots=True)
class PlayersAnswer:
    """A round of this many players.

    Attributes:
        win: each seat's chance to win.
        stakes: the stakes that each seat can expect to get (negative: to pay), playing for them; None
            if that isn't known, see `unknown_stakes`.
        seat: the seat to play, from 1; None at the beginning of the round.
        best: the best score so far.
        scores: the seat's chance to win with each final score, by rising score.
        aim: the worst final score that makes the seat's chance better; None if there is none.
    """

    win: tuple[float, ...]
    stakes: tuple[float, ...] | None
    seat: int | None = None
    best: int | None = None
    scores: dict[int, float] | None = None
    aim: int | None = None


def players_answer(profile: Profile, players: int, best: int | None, seat: int | None) -> PlayersAnswer:
    """The value of a round to every seat.

    Args:
        profile: the game.
        players: how many.
        best: the best score so far, that of the seat just before; None at the beginning.
        seat: the seat to play, from 1; None at the beginning.

    Raises:
        PlayersError: for a number out of range.
        OddsError: for rules without such odds.
    """
    if not 2 <= players <= MAX_PLAYERS:
        raise PlayersError(f"--players: {players} is not allowed; 2 to {MAX_PLAYERS} are")
    if (best is None) != (seat is None):
        raise PlayersError("--best and --seat go together: the best score so far, and the seat to play")
    if seat is not None and not order_of(profile).one_turn_each:
        raise PlayersError(
            f'--seat: turns = "{profile.turns}" has no best score so far; allowed without --best and --seat'
        )
    if seat is not None and not 2 <= seat <= players:
        raise PlayersError(f"--seat: {seat} is not allowed; 2 to {players} are")
    pick(profile).win.check(players, About.ROUND)
    if best is None and (answer := _without_equilibrium(profile, players)):
        return answer
    game = Equilibrium(profile, players)
    totals = begin(profile, players).totals
    scores: tuple[int | None, ...] = ()
    if best is not None and seat is not None:
        _check_best(game, best)
        scores = (*(None,) * (seat - 2), totals[seat - 2] + best)
    win = game.chances(totals, scores)
    stakes = None
    if _unknown_stakes(profile, seat) is None:
        stakes = _stakes(profile, players, win, totals, scores)
    if seat is None:
        return PlayersAnswer(win, stakes)
    play = game.seat(totals, scores)
    by_score = {end.score: play.worth_of(end) for end in sorted(game.ends)}
    better = [score for score, chance in by_score.items() if chance > win[seat - 1]]
    aim = (min if profile.highest_wins else max)(better, default=None)
    return PlayersAnswer(win, stakes, seat, best, by_score, aim)


def players_document(profile: Profile, answer: PlayersAnswer) -> dict[str, object]:
    """The answer as JSON."""
    document: dict[str, object] = {
        "profile": profile.name,
        "players": len(answer.win),
        "win": list(map(tidy, answer.win)),
        "stakes": None if answer.stakes is None else list(map(tidy, answer.stakes)),
    }
    if _of_several(profile):
        document["one_round"] = True
    if answer.scores is not None:
        document |= {
            "seat": answer.seat,
            "best": answer.best,
            "aim": answer.aim,
            "scores": {str(score): tidy(chance) for score, chance in answer.scores.items()},
        }
    return document


def players_text(profile: Profile, answer: PlayersAnswer) -> str:
    """The answer as lines of text."""
    lines = [f"{profile.title()}: {len(answer.win)} players, all playing their best for the win"]
    if _of_several(profile):
        lines.append("One round alone; the totals of several rounds are not in these figures.")
    if unknown := _unknown_stakes(profile, answer.seat):
        lines.append(unknown)
    if answer.seat is not None:
        lines.append(f"Seat {answer.seat} plays; the best score so far is {answer.best}, of the seat before.")
    stakes = None if profile.stakes is Stakes.NONE else answer.stakes
    lines += ["", f"{'seat':<6} {'to win':>9}" + (f" {'stakes':>9}" if stakes else "")]
    for at, win in enumerate(answer.win):
        staked = f" {tidy(round(stakes[at], 3)):>+9.3f}" if stakes else ""
        lines.append(f"{at + 1:<6} {percent(tidy(win)):>9}{staked}")
    if answer.scores is None:
        return "\n".join(lines)
    lines.append("")
    if answer.aim is None:
        lines.append("No score makes the chance better than it is now.")
    else:
        lines.append(f"Aim for {answer.aim} or {'more' if profile.highest_wins else 'less'}.")
    lines += ["", f"{'score':<6} {'to win':>9}"]
    lines += [f"{score:<6} {percent(chance):>9}" for score, chance in answer.scores.items() if tidy(chance)]
    return "\n".join(lines)


def _of_several(profile: Profile) -> bool:
    """Whether a match has more rounds than the one that is looked at."""
    return profile.match is not MatchFormat.TOTAL or profile.rounds > 1


def _unknown_stakes(profile: Profile, seat: int | None) -> str | None:
    """Why the stakes that the seats can expect aren't known although their chances are; None if they are."""
    whole_turns_only = profile.loser_pays or profile.stakes is Stakes.POOL_DOUBLE
    if not order_of(profile).one_turn_each and whole_turns_only:
        return f'No stakes: stakes = "{profile.stakes}" has odds for whole turns only.'
    if not profile.loser_pays:
        return None
    of_match = profile.stakes is Stakes.LOSER_PAYS_MATCH and _of_several(profile)
    if of_match or profile.match in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT):
        return "No stakes: the loser of the match pays, not the loser of a round."
    if seat is not None and seat > 2:
        return "No stakes: the worst score pays, and only the best so far is known."
    return None


def _without_equilibrium(profile: Profile, players: int) -> PlayersAnswer | None:
    """The seats where turns aren't taken one after the other, or against the bank; None for other games."""
    solver = pick(profile).win
    if isinstance(solver, Bank):
        found = [solver.seat_outlook(seat) for seat in range(players)]
        return PlayersAnswer(tuple(win for win, _ in found), tuple(money for _, money in found))
    if order_of(profile).one_turn_each:
        return None
    win = solver.chances(begin(profile, players))
    unknown = _unknown_stakes(profile, None)
    return PlayersAnswer(win, None if unknown else _stakes(profile, players, win))


def _check_best(game: Equilibrium, best: int) -> None:
    scores = sorted({end.score for end in game.ends})
    if best not in scores:
        raise PlayersError(f"--best: {best} is not a score here; use {_ranges(scores)}")
    if End(best, False) not in game.ends and game.shut_wins:
        raise PlayersError(f"--best: {best} is a shut box, which has won the round")


def _stakes(
    profile: Profile,
    players: int,
    win: tuple[float, ...],
    totals: tuple[int, ...] = (),
    scores: tuple[int | None, ...] = (),
) -> tuple[float, ...]:
    if profile.stakes is Stakes.NONE:
        return (0.0,) * players
    if profile.stakes is Stakes.POOL:
        return tuple(players * chance - 1 for chance in win)
    return Equilibrium(profile, players, Prize.MONEY).chances(totals, scores)


def _ranges(scores: list[int]) -> str:
    """Whole numbers in words: single ones, and runs from one to another."""
    runs: list[list[int]] = []
    for score in scores:
        if runs and score == runs[-1][-1] + 1:
            runs[-1].append(score)
        else:
            runs.append([score])
    words = [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs[:8]]
    return ", ".join(words) + (" …" if len(runs) > 8 else "")
