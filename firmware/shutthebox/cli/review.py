"""``shutthebox review``: the effect of luck and decisions in a match."""

import argparse
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Literal

from shutthebox.cli.odds_text import tidy
from shutthebox.cli.own_config import load_games_config
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.progress import working
from shutthebox.cli.turns_table import is_table, read_table
from shutthebox.config.profiles import find
from shutthebox.config.settings_loader import rules_folder
from shutthebox.files import read_text
from shutthebox.odds.coach import Balance, Decision, MatchReview, review
from shutthebox.odds.review_text import decision_text
from shutthebox.rules import record
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.orders import order_of
from shutthebox.rules.record import Record, RecordError
from shutthebox.rules.tiles import to_numbers
from shutthebox.texts import DECIMAL, decimal_parts, fill_in
from shutthebox.translations import translations

MAX_BYTES = 1_000_000
"""The longest record that is read; a match of twenty players and 99 rounds has some 330,000."""

MAX_SHOWN = 5
"""Decisions that people are shown."""


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox review`."""
    parser = subparsers.add_parser(
        "review",
        help="say what luck and decisions did in a match",
        description="Analyses the record of a match: every player's chance to win and points "
        "before and after, what the dice and the decisions did to them, accuracy "
        "in per cent, the turning point, and the costliest decisions.",
        example="shutthebox review match.txt",
    )
    parser.add_argument(
        "record",
        metavar="RECORD",
        type=Path,
        help="a match, as `shutthebox export --record` prints it, or a CSV table of turns: player, dice, "
        "tiles shut",
    )
    parser.add_argument(
        "--profile",
        metavar="ID|FILE",
        default="traditional",
        help="the game, for a table (default: traditional)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the review of a record."""
    config = load_games_config()
    text = read_text(args.record, RecordError, "a record", MAX_BYTES)
    if is_table(text, args.record.name):
        match = read_table(text, str(args.record), find(args.profile, rules_folder(config)))
    else:
        match = record.parse(text, str(args.record), lambda name: find(name, rules_folder(config)))
    with working(lambda: "working out the best play"):
        real_dice = match.conditions is not None and match.conditions.real_dice
        found = review(match.beginning, match.actions, real_dice=real_dice)
    if args.json:
        print(json.dumps(review_document(match, found)))
    else:
        print("\n".join(review_lines(match, found, translations()[config.box.language])))
    return 0


def review_document(match: Record, found: MatchReview) -> dict[str, object]:
    """A review as JSON; chances are 0 to 1, players are numbered from 1."""
    point, has_points = found.turning_point, order_of(match.profile).has_points
    turning = None
    if point is not None:
        turning = {
            "player": point.player + 1,
            "round": point.round,
            "throw": list(point.throw),
            "kind": "decision" if point.decision else "dice",
            "change": tidy(float(point.change)),
        }
    return {
        "profile": match.profile.name,
        "players": [
            {
                "player": number,
                "accuracy": None if each.accuracy is None else tidy(each.accuracy),
                "win": None if each.win is None else _balance(each.win),
                "points": _balance(each.points) if has_points else None,
                "scored": each.is_scored,
            }
            for number, each in enumerate(found.players, 1)
        ],
        "exact": found.exact,
        "turning_point": turning,
        "decisions": [_decision(each) for each in found.decisions],
    }


def review_lines(match: Record, found: MatchReview, translate: Callable[[str], str]) -> Iterator[str]:
    """A review in words; nothing of a player who has not thrown.

    Args:
        match: the match.
        found: its review.
        translate: into the reader's language.
    """
    _ = translate
    for number, each in enumerate(found.players, 1):
        if each.accuracy is None:
            continue
        yield _("Player {player}: accuracy {accuracy} %").format(
            player=number, accuracy=f"{each.accuracy:.0f}"
        )
        if each.win is not None:
            yield "  " + _(
                "chance to win {initial} % at the start, {final} % at the end: luck {luck} "
                "%, decisions {skill} %"
            ).format(**_format(each.win, 100, _))
        if order_of(match.profile).has_points:
            text = _("points {initial} expected, {final} scored: luck {luck}, decisions {skill}")
            if not each.is_scored:
                text = _(
                    "points {initial} expected at first, {final} at last: luck {luck}, decisions {skill}"
                )
            yield "  " + text.format(**_format(each.points, 1, _))
    if not found.exact and found.players[0].win is not None:
        yield _("Before the last round, chances to win are approximate.")
    point = found.turning_point
    if point is not None:
        text = _("Turning point: player {player}, round {round}, the answer to {throw}")
        if not point.decision:
            text = _("Turning point: player {player}, round {round}, the throw {throw}")
        yield text.format(player=point.player + 1, round=point.round, throw=faces_to_text(point.throw))
    costly = sorted((each for each in found.decisions if each.cost), key=lambda each: -each.cost)
    if not costly:
        yield _("Every decision was the best.")
        return
    yield _("What cost most:")
    for decision in costly[:MAX_SHOWN]:
        yield "  " + decision_text(decision, _)


def _decision(decision: Decision) -> dict[str, object]:
    tiles = decision.throw is not None
    return {
        "player": decision.player + 1,
        "round": decision.round,
        "open": list(to_numbers(decision.open)),
        "throw": None if decision.throw is None else list(decision.throw),
        "chosen": list(decision.numbers(decision.chosen)) if tiles else decision.chosen,
        "best": list(decision.numbers(decision.best)) if tiles else decision.best,
        "cost_win": None if decision.win is None else tidy(float(decision.win)),
        "cost_points": tidy(float(decision.points)),
    }


def _balance(balance: Balance) -> dict[str, float]:
    """As floats whose sum is right to the last digit."""
    initial, final, skill = (round(each, 12) for each in (balance.initial, balance.final, balance.skill))
    luck = Fraction(final) - Fraction(initial) - Fraction(skill)
    return {"initial": float(initial), "final": float(final), "luck": float(luck), "skill": float(skill)}


def _format(balance: Balance, factor: int, translate: Callable[[str], str]) -> dict[str, str]:
    signs: tuple[Literal["-", "+"], ...] = ("-", "-", "+", "+")
    return {
        name: fill_in(DECIMAL, translate, decimal_parts(factor * float(figure), 1, sign))
        for (name, figure), sign in zip(balance._asdict().items(), signs, strict=True)
    }
