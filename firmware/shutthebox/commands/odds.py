"""``shutthebox odds``: what a position is worth, and every legal move ranked."""

import argparse
import json
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shutthebox.commands.chart import text_chart, write_chart
from shutthebox.errors import ShutTheBoxError
from shutthebox.odds import Objective, Odds, OddsError, TooLargeError, Value
from shutthebox.odds.estimate import SAMPLES, Progress, estimate, estimated_moves
from shutthebox.odds.policies import Policy, policy_value
from shutthebox.profiles import find
from shutthebox.rules import tiles as sets
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.profile import Draw, Profile, Win
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.rules.turn import Turn

_MOST_SAMPLES = 10_000_000


class UsageError(ShutTheBoxError, ValueError):
    """An option that does not fit; the text names it and what is allowed."""


@dataclass(frozen=True, slots=True)
class _Move:
    tiles: Tiles
    value: Value
    cost: float


@dataclass(frozen=True, slots=True)
class _Answer:
    """All there is to say about a position.

    Attributes:
        value: under the play that is best for the objective.
        one_die: whether one die is best; None where it is not the player's choice.
        moves: ranked; None without a throw.
        distribution: of the final score.
        error: the standard error of an estimate; None for exact odds.
        samples: turns played out for an estimate.
        policy: the rule they were played by.
    """

    value: Value
    one_die: bool | None
    moves: tuple[_Move, ...] | None
    distribution: Mapping[int, float]
    error: Value | None = None
    samples: int = 0
    policy: Policy | None = None


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    """Adds the command to those of ``shutthebox``."""
    parser = subparsers.add_parser(
        "odds",
        help="what a position is worth, and every legal move ranked",
        description="Exact odds of a profile under best play: expected score, chance to shut the "
        "box, distribution of scores; with a throw, every legal move ranked. Above 12 tiles an "
        "estimate.",
    )
    parser.add_argument("profile", metavar="ID|FILE", help="a built-in profile, or a house-rules file")
    parser.add_argument("--tiles", type=int, metavar="N", help="another box that the profile allows")
    parser.add_argument(
        "--open", metavar="1,2,3", help="the tiles that are open (a turn's start if not given)"
    )
    parser.add_argument("--throw", metavar="3,5", help="the faces thrown")
    parser.add_argument(
        "--objective",
        choices=[Objective.SCORE.value, Objective.SHUT.value],
        default=Objective.SCORE.value,
        help="play for the best expected score (the default), or for the best chance to shut the box",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="a chart of the scores: .svg or .png")
    parser.add_argument(
        "--samples", type=int, default=SAMPLES, metavar="N", help=f"turns for an estimate ({SAMPLES})"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="where an estimate's lots start (1)")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Runs the command.

    Returns:
        0, or 2 for an option or a file that is no good, with one line on stderr.
    """
    try:
        profile = _profile(args.profile, args.tiles)
        turn = _turn(profile, args.open, args.throw)
        if not 2 <= args.samples <= _MOST_SAMPLES:
            raise UsageError(f"--samples: {args.samples} is not allowed; 2 to {_MOST_SAMPLES} are")
        objective = Objective(args.objective)
        answer = _exact(profile, turn, objective) or _estimated(profile, turn, objective, args)
        if args.plot is not None:
            write_chart(args.plot, answer.distribution, _title(profile, turn, objective, answer))
    except ShutTheBoxError as error:
        print(f"shutthebox odds: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps(_document(profile, turn, objective, answer)))
    else:
        print(_text(profile, turn, objective, answer))
    return 0


def _profile(name: str, count: int | None) -> Profile:
    profile = find(name)
    if count is None:
        return profile
    box = profile.for_box(count)
    if box is None:
        allowed = ", ".join(map(str, profile.allowed_boxes))
        raise UsageError(f"--tiles: {count} is no box of {profile.name}; allowed are {allowed}")
    return box


def _turn(profile: Profile, open_text: str | None, throw_text: str | None) -> Turn:
    turn = turns.start(profile)
    if open_text is not None:
        open_tiles = _open(profile, open_text)
        if open_tiles != profile.starting:
            turn = Turn(open_tiles, moves=1)
    if throw_text is None:
        return turn
    faces = _faces(throw_text)
    # Dice read as a total alone are for the box; here a single number is a single die.
    dice = dice_allowed(profile, turn.open)
    if len(faces) not in dice or not turns.possible_throw(profile, turn, faces):
        raise UsageError(f"--throw: {throw_text} cannot be thrown here; {_possible(profile, turn)}")
    return turns.throw(profile, turn, faces)


def _open(profile: Profile, text: str) -> Tiles:
    try:
        open_tiles = sets.from_text(text.replace(" ", ""))
    except ValueError as error:
        raise UsageError(f"--open: {error}") from None
    strange = open_tiles & ~profile.all_tiles
    if not open_tiles or strange:
        wrong = f"tile {to_numbers(strange)[0]} is not on the box" if strange else "no tile is open"
        allowed = ", ".join(map(str, profile.tiles))
        raise UsageError(f"--open: {wrong}; allowed are {allowed}")
    return open_tiles


def _faces(text: str) -> Throw:
    words = text.replace("+", ",").split(",")
    if not all(word.strip().isascii() and word.strip().isdigit() and len(word) < 5 for word in words):
        raise UsageError(f"--throw: {text!r} is no throw; allowed are faces with commas, as in 3,5")
    return tuple(int(word) for word in words)


def _possible(profile: Profile, turn: Turn) -> str:
    if profile.draw is Draw.DOMINOES:
        return "allowed are the two ends of a domino, 1,1 to 6,6"
    counts = " or ".join("1 die" if n == 1 else f"{n} dice" for n in dice_allowed(profile, turn.open))
    return f"allowed are {counts} with faces 1 to {profile.sides}"


def _exact(profile: Profile, turn: Turn, objective: Objective) -> _Answer | None:
    """Exact odds; None where there are none."""
    try:
        odds = Odds(profile, turn.open)
        value = odds.value(turn, objective)
        ranked = odds.ranked(turn, objective)
        distribution = odds.distribution(turn, objective)
        one_die = odds.one_die(turn, objective)
    except TooLargeError:
        return None
    moves = None
    if turn.throw is not None:
        legal = set(turns.answers(profile, turn))
        moves = tuple(_Move(each.tiles, each.value, each.cost) for each in ranked if each.tiles in legal)
    return _Answer(value, one_die, moves, distribution)


def _estimated(profile: Profile, turn: Turn, objective: Objective, args: argparse.Namespace) -> _Answer:
    rng = random.Random(args.seed)
    if turn.outcome is not None:
        points = turn.score or 0
        return _Answer(Value(points, 0.0), None, (), {points: 1.0})
    moves = None
    progress = _progress()
    if turn.throw is not None:
        found = estimated_moves(profile, turn, objective, rng=rng, samples=args.samples, progress=progress)
        moves = tuple(
            _Move(tiles, each.value, abs(each.value[at] - found[0][1].value[at]))
            for at in [int(objective is Objective.SHUT)]
            for tiles, each in found
        )
        if found:
            turn = turns.move(profile, turn, found[0][0])
    if turn.outcome is not None:
        points = turn.score or 0
        shut = 1.0 if turn.outcome is turns.Outcome.SHUT else 0.0
        return _Answer(Value(points, shut), None, moves, {points: 1.0})
    each = estimate(profile, turn, objective, rng=rng, samples=args.samples, progress=progress)
    return _Answer(each.value, None, moves, each.distribution, each.standard_error, each.samples, each.policy)


def _progress() -> Progress | None:
    """A bar on the terminal; none where stderr is not one."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, whole: int) -> None:
        bar = "#" * (30 * done // whole)
        end = "\r" + " " * 50 + "\r" if done == whole else ""
        print(f"\restimate [{bar:<30}] {100 * done // whole:3} %{end}", end="", file=sys.stderr, flush=True)

    return show


def _document(profile: Profile, turn: Turn, objective: Objective, answer: _Answer) -> dict[str, object]:
    moves = None
    if answer.moves is not None:
        moves = [
            {
                "tiles": list(to_numbers(move.tiles)),
                "expected_score": move.value.score,
                "probability_shut": move.value.shut,
            }
            for move in answer.moves
        ]
    document: dict[str, object] = {
        "profile": profile.name,
        "open": list(to_numbers(turn.open)),
        "objective": objective.value,
        "expected_score": answer.value.score,
        "probability_shut": answer.value.shut,
        "one_die": answer.one_die,
        "moves": moves,
        "distribution": {str(score): chance for score, chance in sorted(answer.distribution.items())},
    }
    if answer.error is not None:
        document |= {
            "estimate": True,
            "standard_error": answer.error.score,
            "standard_error_shut": answer.error.shut,
            "samples": answer.samples,
        }
    return document


def _aim(profile: Profile, objective: Objective) -> str:
    if objective is Objective.SHUT:
        return "the best chance to shut"
    return "the highest score" if profile.win is Win.HIGHEST else "the lowest score"


def _title(profile: Profile, turn: Turn, objective: Objective, answer: _Answer) -> str:
    kind = "an estimate, " if answer.error is not None else ""
    thrown = f", {'+'.join(map(str, turn.throw))} thrown" if turn.throw else ""
    row = " ".join(map(str, to_numbers(turn.open)))
    return f"{profile.title('en')}: {row} open{thrown} ({kind}playing for {_aim(profile, objective)})"


def _text(profile: Profile, turn: Turn, objective: Objective, answer: _Answer) -> str:
    lines = [_title(profile, turn, objective, answer), ""]
    if answer.error is not None:
        error = answer.error
        lines += [
            f"An ESTIMATE from {answer.samples} turns played {answer.policy} first, not best play:",
            f"expected score   {answer.value.score:.4f}  (standard error {error.score:.4f})",
            f"chance to shut   {100 * answer.value.shut:.4f} %  (standard error {100 * error.shut:.4f} %)",
        ]
    else:
        lines += [
            f"expected score   {answer.value.score:.6f}",
            f"chance to shut   {100 * answer.value.shut:.6f} %",
        ]
    if answer.one_die is not None:
        lines.append(f"best to throw    {'one die' if answer.one_die else f'{profile.dice} dice'}")
    if turn.throw is not None:
        lines += ["", *_moves_text(turn, objective, answer)]
    elif answer.error is None and turn == turns.start(profile):
        lines += ["", *_players_text(profile)]
    return "\n".join([*lines, "", "final score", text_chart(answer.distribution)])


def _moves_text(turn: Turn, objective: Objective, answer: _Answer) -> list[str]:
    if not answer.moves:
        if turn.outcome is not None:
            return [f"no move: the turn is {turn.outcome}"]
        return ["no move: the turn goes on"]
    lines = [f"{'move':<16} {'expected':>12} {'to shut':>11} {'costs':>12}"]
    for move in answer.moves:
        shut = f"{100 * move.value.shut:.4f} %"
        cost = f"{100 * move.cost:.4f} %" if objective is Objective.SHUT else f"{move.cost:.6f}"
        lines.append(f"{sets.to_text(move.tiles):<16} {move.value.score:>12.6f} {shut:>11} {cost:>12}")
    return lines


def _players_text(profile: Profile) -> list[str]:
    """What players with a fixed rule would get; those whose turn might never end are left out."""
    lines = ["for comparison"]
    for policy in Policy:
        try:
            value = policy_value(profile, policy)
        except OddsError:
            continue
        name = f"{policy} tiles" if policy is Policy.FEWEST else f"{policy} first"
        name = "at random" if policy is Policy.RANDOM else name
        lines.append(f"  {name:<14} {value.score:>12.6f} {100 * value.shut:>9.4f} %")
    return lines
