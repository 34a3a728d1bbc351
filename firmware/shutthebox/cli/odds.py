"""``shutthebox odds``: the value of a position, and every legal move ranked."""

import argparse
import json
import random
from pathlib import Path

from shutthebox.cli.chart import write_chart
from shutthebox.cli.odds_fair import fair_answer, fair_document, fair_text
from shutthebox.cli.odds_players import players_answer, players_document, players_text
from shutthebox.cli.odds_text import Answer, Move, answer_text, tidy, title
from shutthebox.cli.odds_tug import tug_document, tug_text
from shutthebox.cli.own_config import load_games_config
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.progress import working
from shutthebox.config.profiles import find
from shutthebox.config.settings_loader import rules_folder
from shutthebox.errors import ShutTheBoxError
from shutthebox.odds.odds import Odds, for_points
from shutthebox.odds.pick import pick
from shutthebox.odds.terminal.estimate import SAMPLES, Progress, estimate, estimated_moves
from shutthebox.odds.worths import Objective, TooLargeError, Value
from shutthebox.rules import tiles as sets
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.rules.turn import Turn

_MAX_SAMPLES = 10_000_000


class UsageError(ShutTheBoxError, ValueError):
    """A bad option; the message names it and what's allowed."""


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox odds`."""
    parser = subparsers.add_parser(
        "odds",
        help="say what a position is worth, and rank every legal move",
        description="Exact odds of a profile under best play: expected score, chance to shut "
        "the box, distribution of scores; with a throw, every legal move ranked. "
        "Beyond 12 tiles, an estimate. --json has every digit.",
        example="shutthebox odds digits --throw 6,4",
    )
    parser.add_argument("profile", metavar="ID|FILE", help="a built-in profile, or a house-rules file")
    parser.add_argument("--tiles", type=int, metavar="N", help="another size of box that the profile allows")
    parser.add_argument("--open", metavar="1,2,3", help="the open tiles (default: the start of a turn)")
    parser.add_argument("--throw", metavar="3,5", help="the faces thrown")
    parser.add_argument(
        "--objective",
        choices=[Objective.SCORE.value, Objective.SHUT.value],
        help="play for the best expected score (default), or for the best chance to shut the box",
    )
    parser.add_argument(
        "--players",
        type=int,
        metavar="N",
        help="every seat's chance to win a round, if everybody plays to win",
    )
    parser.add_argument(
        "--best", type=int, metavar="B", help="with --players and --seat: the best score so far"
    )
    parser.add_argument("--seat", type=int, metavar="S", help="with --players and --best: the seat to play")
    parser.add_argument(
        "--fair",
        action="store_true",
        help="the head starts in points that make a round for two fair, between masters and for a beginner",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a chart of the scores (.svg)")
    parser.add_argument(
        "--samples",
        type=int,
        metavar="N",
        help=f"turns for an estimate ({SAMPLES}, or fewer where turns are long)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of an estimate (1)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the odds of a turn, of every seat, or fair head starts."""
    profile = _profile(args.profile, args.tiles)
    if args.fair:
        return _run_fair(profile, args)
    if args.players is not None or args.best is not None or args.seat is not None:
        return _run_players(profile, args)
    if not order_of(profile).has_points:
        return _run_tug(profile, args)
    profile = for_points(profile)
    turn = _turn(profile, args.open, args.throw)
    if args.samples is not None and not 2 <= args.samples <= _MAX_SAMPLES:
        raise UsageError(f"--samples: {args.samples} is not allowed; 2 to {_MAX_SAMPLES} are")
    objective = Objective(args.objective or Objective.SCORE)
    with working(lambda: "working out the best play"):
        answer = _exact(profile, turn, objective)
    answer = answer or _estimate(profile, turn, objective, args)
    if args.plot is not None:
        write_chart(args.plot, answer.distribution, title(profile, turn, objective, answer))
    if args.json:
        print(json.dumps(_document(profile, turn, objective, answer)))
    else:
        with working(lambda: "comparing with simpler play"):
            text = answer_text(profile, turn, objective, answer)
        print(text)
    return 0


def _run_fair(profile: Profile, args: argparse.Namespace) -> int:
    """Prints head starts that make a round of two players fair, as text or JSON."""
    for option in ("open", "throw", "objective", "players", "best", "seat", "plot", "samples"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option}: not allowed with --fair, which is about a round of two players")
    with working(lambda: "working out fair head starts"):
        answer = fair_answer(profile)
    print(json.dumps(fair_document(profile, answer)) if args.json else fair_text(profile, answer))
    return 0


def _run_tug(profile: Profile, args: argparse.Namespace) -> int:
    """The chance to win a tug; the open tiles are those that the current player has to move."""
    for option in ("objective", "plot", "samples"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option}: not allowed in a tug, which is won by the last tile alone")
    turn = _turn(profile, args.open, args.throw)
    with working(lambda: "working out the best play"):
        pick(profile).prepare()
    print(json.dumps(tug_document(profile, turn)) if args.json else tug_text(profile, turn))
    return 0


def _run_players(profile: Profile, args: argparse.Namespace) -> int:
    """Prints every seat's chance to win a round, as text or JSON."""
    if args.players is None:
        raise UsageError("--best and --seat need --players: how many play the round")
    for option in ("open", "throw", "objective", "plot", "samples"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option}: not allowed with --players, because it's about one player's turn")
    with working(lambda: "working out the best play of every seat"):
        answer = players_answer(profile, args.players, args.best, args.seat)
    print(json.dumps(players_document(profile, answer)) if args.json else players_text(profile, answer))
    return 0


def _profile(name: str, count: int | None) -> Profile:
    profile = find(name, rules_folder(load_games_config()))
    if count is None:
        return profile
    box = profile.for_box(count)
    if box is None:
        allowed = ", ".join(map(str, profile.allowed_boxes))
        raise UsageError(f"--tiles: {profile.name} has no box of {count}; use {allowed}")
    return box


def _turn(profile: Profile, open_text: str | None, throw_text: str | None) -> Turn:
    turn = turns.start(profile)
    if open_text is not None:
        open_tiles = _open(profile, open_text)
        if open_tiles != profile.starting:
            turn = Turn(open_tiles, moves=1, misses_left=profile.spare_throws)
    if throw_text is None:
        return turn
    faces = _faces(throw_text)
    # Dice read as a total alone are for the box; here a single number is a single die.
    dice = dice_allowed(profile, turn.open, turn.behind)
    if len(faces) not in dice or not turns.possible_throw(profile, turn, faces):
        raise UsageError(f"--throw: {throw_text} can't be thrown here; {_possible(profile, turn)}")
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
        raise UsageError(f"--open: {wrong}; use {allowed}")
    return open_tiles


def _faces(text: str) -> Throw:
    words = text.replace("+", ",").split(",")
    if not all(word.strip().isascii() and word.strip().isdigit() and len(word) < 5 for word in words):
        raise UsageError(f"--throw: {text!r} is not a throw; use faces with commas, as in 3,5")
    return tuple(int(word) for word in words)


def _possible(profile: Profile, turn: Turn) -> str:
    if profile.draw is Draw.DOMINOES:
        return "use the two ends of a domino, 1,1 to 6,6"
    counts = " or ".join(
        "1 die" if n == 1 else f"{n} dice" for n in dice_allowed(profile, turn.open, turn.behind)
    )
    return f"use {counts} with faces 1 to {profile.sides}"


def _exact(profile: Profile, turn: Turn, objective: Objective) -> Answer | None:
    """Exact odds; None if there are none."""
    try:
        odds = Odds(profile, turn)
        value = odds.value(turn, objective)
        ranked = odds.ranked(turn, objective)
        distribution = odds.distribution(turn, objective)
        one_die, throws = odds.one_die(turn, objective), odds.most_throws(objective)
    except TooLargeError:
        return None
    moves = None
    if turn.throw is not None:
        legal = set(turns.answers(profile, turn))
        moves = tuple(Move(each.tiles, each.value, each.cost) for each in ranked if each.tiles in legal)
    return Answer(value, one_die, moves, distribution, throws=throws)


def _estimate(profile: Profile, turn: Turn, objective: Objective, args: argparse.Namespace) -> Answer:
    share = 0.0

    def played(done: int, whole: int) -> None:
        nonlocal share
        share = done / whole

    with working(lambda: f"simulating turns, {share:.0%}"):
        return _play_out(profile, turn, objective, args, played)


def _play_out(
    profile: Profile, turn: Turn, objective: Objective, args: argparse.Namespace, progress: Progress
) -> Answer:
    rng = random.Random(args.seed)
    if turn.outcome is not None:
        points = turn.score or 0
        return Answer(Value(points, 0.0), None, (), {points: 1.0})
    moves = None
    if turn.throw is not None:
        found = estimated_moves(profile, turn, objective, rng=rng, samples=args.samples, progress=progress)
        moves = tuple(
            Move(tiles, each.value, abs(each.value[at] - found[0][1].value[at]))
            for at in [int(objective is Objective.SHUT)]
            for tiles, each in found
        )
        if found:
            turn = turns.move(profile, turn, found[0][0])
    if turn.outcome is not None:
        points = turn.score or 0
        shut = 1.0 if turn.outcome is turns.Outcome.SHUT else 0.0
        return Answer(Value(points, shut), None, moves, {points: 1.0})
    each = estimate(profile, turn, objective, rng=rng, samples=args.samples, progress=progress)
    return Answer(
        each.value,
        None,
        moves,
        each.distribution,
        each.standard_error,
        each.samples,
        each.policy,
    )


def _document(profile: Profile, turn: Turn, objective: Objective, answer: Answer) -> dict[str, object]:
    moves = None
    if answer.moves is not None:
        moves = [
            {
                "tiles": list(to_numbers(move.tiles)),
                "expected_score": tidy(move.value.score),
                "probability_shut": tidy(move.value.shut),
            }
            for move in answer.moves
        ]
    document: dict[str, object] = {
        "profile": profile.name,
        "open": list(to_numbers(turn.open)),
        "objective": objective.value,
        "expected_score": tidy(answer.value.score),
        "probability_shut": tidy(answer.value.shut),
        "one_die": answer.one_die,
        "moves": moves,
        "distribution": {str(score): tidy(chance) for score, chance in sorted(answer.distribution.items())},
    }
    if answer.throws is not None:
        document["last_throw"] = answer.throws
    if answer.error is not None:
        document |= {
            "estimate": True,
            "standard_error": tidy(answer.error.score),
            "standard_error_shut": tidy(answer.error.shut),
            "samples": answer.samples,
        }
    return document
