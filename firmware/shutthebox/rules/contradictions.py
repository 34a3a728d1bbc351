"""What keeps a game from being played, or from being chosen.

Three questions, from the most to the least serious:

* `why_unplayable`: the engine can't play it. Stored matches and records are only asked this.
* `why_not_chosen`: nobody would want to play it, such as a game that whoever begins always wins. It's
  asked of a game that somebody chooses.
* `keys_without_effect`: a key changes nothing on any box. It's asked of a file.

A `Needs` at a key, or at an order of play, says which of them it answers.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from string import Formatter

from shutthebox.rules import rows
from shutthebox.rules.moves import (
    can_ever_move,
    dice_allowed,
    ending_totals,
    has_one_ending_total,
    is_one_die_ever_allowed,
    most_in_a_move,
    most_moves,
    totals_of_doubles,
)
from shutthebox.rules.orders import for_seat, order_of
from shutthebox.rules.profile import (
    MAX_DIGITS,
    MAX_LIMIT,
    NEEDS,
    Blocked,
    Doubles,
    Draw,
    MatchFormat,
    Need,
    Needs,
    OneDie,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Win,
)
from shutthebox.rules.score import worst_score
from shutthebox.rules.shutting import can_be_shut, can_get_stuck
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.writer import to_toml

MAX_MOVES = 6_000
"""The most moves of one throw; a pack of cards and nine dice have 5,718. The loop looks at all of them, so
more would delay levers."""

_BY_POINTS = (MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS, MatchFormat.DROP_OUT)
"""Formats that are decided at a limit of points, and so by the highest or by the lowest totals."""

_COUNTS_TILES = (Scoring.SUM, Scoring.COUNT, Scoring.SHUT_SUM)


@dataclass(frozen=True)
class Complaint:
    """What's wrong with a game.

    Attributes:
        key: the key to change.
        why: what's wrong with it, and what's allowed. A key in braces, as in ``{dice}``, stands for that
            key with its value, and ``{leave_out}`` for how to do without the key; braces that are meant are
            doubled.
        box: the game that it's about.
    """

    key: str
    why: str
    box: Profile

    def to_text(self, model: str = "", inherited: Collection[str] = ()) -> str:
        """One line without the file: ``key: what's wrong``.

        Args:
            model: the game after `like`.
            inherited: the keys that came from it; each says so.
        """
        named = {name for _, name, _, _ in Formatter().parse(self.why) if name}
        keys = {self.key, *named} - {"leave_out"}
        said = {
            key: f"{key} = {to_toml(getattr(self.box, key))}" + f" (from {model})" * (key in inherited)
            for key in keys
        }
        said["leave_out"] = "leave it out"
        if self.key in inherited:
            said["leave_out"] = f"start from another game than {model}"
        head = said[self.key] if self.key in inherited else self.key
        return f"{head}: {self.why.format_map(said)}"


def why_unplayable(box: Profile) -> Complaint | None:
    """Why the engine can't play this game; None if it can."""

    def complain(key: str, why: str) -> Complaint:
        return Complaint(key, why, box)

    # First, because with such operations the checks below find no moves, or take forever.
    if complaint := _unmet_need(box, Need.TO_PLAY) or _wrong_operations(box):
        return complaint
    if not box.starting:
        return complain("start_open", "no tile of the box would be open; use its tiles")
    must = box.first_move_must_include
    if must is not None and not to_tiles([must]) & box.starting:
        return complain("first_move_must_include", f"tile {must} does not start open; use tiles that do")
    if must is not None and not can_ever_move(box, box.starting, to_tiles([must])):
        return complain("first_move_must_include", f"no throw can shut tile {must}; use tiles that one can")
    # Short rows can't have that many sets, and most rows are short.
    if (1 if rows.are_plain(box) else 3) << len(box.tiles) > MAX_MOVES and most_moves(box) > MAX_MOVES:
        return complain(
            "dice",
            f"{box.dice} of {box.sides} sides have over {MAX_MOVES} moves on {len(box.tiles)} tiles; "
            "use fewer dice, sides or tiles",
        )
    most = min(box.max_tiles or MAX_MOVES, box.starting.bit_count() * box.rows)
    if box.min_tiles > most:
        return complain("min_tiles", f"{box.min_tiles} are more than one move may have; use up to {most}")
    if box.row_points and len(box.row_points) != box.rows:
        return complain("row_points", f"{list(box.row_points)} has another number of rows; use two numbers")
    if 0 in box.ends_turn_on and not box.has_blanks:
        return complain("ends_turn_on", "0 is the double blank; allowed with bag = 28")
    if box.score in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        digits = len("".join(map(str, box.tiles)))
        if digits > MAX_DIGITS:
            return complain(
                "score", f"{digits} digits can't be shown; use rows of up to {MAX_DIGITS} (1 to 12)"
            )
    if box.counts_rounds_won:
        if box.limit is not None and box.rounds != 1:
            return complain(
                "rounds", "is not allowed with {match} and limit, which ends the match; use one of the two"
            )
    elif not box.is_solo and (box.limit is None) != (box.match is MatchFormat.TOTAL):
        if box.limit is None:
            return complain("limit", "missing; {match} needs a whole number from 1 up")
        return complain(
            "limit",
            "means nothing with {match}; allowed with target-loses, target-wins, drop-out, rounds-won, "
            "ladder",
        )
    if box.limit == 0 and not box.is_solo:
        return complain("limit", f"0 is not allowed; use a whole number from 1 to {MAX_LIMIT}")
    if box.limit is not None and not (box.is_solo or box.counts_rounds_won) and _always_scores_0(box):
        return complain("limit", "never reached, since every turn scores 0; allowed where a turn can score")
    if must is not None and box.lost_score is not None:
        worst = worst_score(box)
        if (box.lost_score > worst) if box.highest_wins else (box.lost_score < worst):
            allowed = f"up to {worst}" if box.highest_wins else f"{worst} or more"
            return complain(
                "lost_score",
                f"{box.lost_score} is better than the worst score of a turn; use {allowed}",
            )
    return _wrong_match(box) or _wrong_seats(box)


def why_not_chosen(box: Profile) -> Complaint | None:
    """Why nobody should choose this game; None if it's a good one."""
    if complaint := why_unplayable(box) or _unmet_need(box, Need.TO_MAKE_SENSE):
        return complaint
    if not can_ever_move(box, box.starting, behind=box.starting_behind):
        shown = ", ".join(map(str, to_numbers(box.starting)))
        return Complaint("tiles", f"no throw can shut any of {shown}; use tiles that one can", box)
    if box.ends_turn_on and not has_one_ending_total(box):
        return Complaint(
            "ends_turn_on",
            'is not allowed with {operations}, as a throw may have several totals; allowed with "sum" among '
            "them",
            box,
        )
    if box.row_points and not any(box.row_points) and box.score in _COUNTS_TILES:
        return Complaint("row_points", "every turn would score 0; use numbers of which one isn't 0", box)
    if _first_always_wins(box):
        return Complaint(
            "blocked",
            f'"{box.blocked}" is not allowed here, as only a shut box ends a turn and {{shut_wins}}: '
            'whoever begins always wins; use "ends-turn", or shut_wins = "no"',
            box,
        )
    return None


def complaints(boxes: Collection[Profile], inherited: Collection[str]) -> tuple[Complaint, ...]:
    """Everything that's wrong with a game that somebody chooses, as far as one mistake doesn't hide another.

    Args:
        boxes: the game on all its boxes.
        inherited: the keys that come from another game. That they have no effect isn't wrong.
    """
    first = next(iter(boxes))
    if _unmet_need(first, Need.TO_PLAY):
        found = dict[str, Complaint]()
        for need in Need:
            for complaint in _unmet_needs(first, need):
                if need is not Need.TO_MATTER or complaint.key not in inherited:
                    found.setdefault(complaint.key, complaint)
        return tuple(found.values())
    if wrong := next(filter(None, map(why_not_chosen, boxes)), None):
        return (wrong,)
    return tuple(why for key, why in keys_without_effect(boxes).items() if key not in inherited)


def keys_without_effect(boxes: Collection[Profile]) -> Mapping[str, Complaint]:
    """The keys that change no match on any of these boxes, each with why; none if keys contradict each other.

    Args:
        boxes: a game on all its boxes.
    """
    first, *others = boxes
    # What a key needs of other keys is the same on every box.
    if _unmet_need(first, Need.TO_PLAY) or _wrong_operations(first):
        return {}
    if not all(box.starting for box in boxes):
        return {}
    found = dict[str, Complaint]()
    for complaint in _unmet_needs(first, Need.TO_MATTER):
        found.setdefault(complaint.key, complaint)
    on_box = {complaint.key: complaint for complaint in _without_effect(first)}
    for box in others if on_box else ():
        kept = {complaint.key for complaint in _without_effect(box)}
        on_box = {key: why for key, why in on_box.items() if key in kept}
    return found | on_box


def contradiction(box: Profile) -> str | None:
    """Why nobody should choose this game, as ``key: what is allowed``; None if it's a good one."""
    complaint = why_not_chosen(box)
    return complaint.to_text() if complaint else None


def _unmet_need(box: Profile, need: Need) -> Complaint | None:
    return next(_unmet_needs(box, need), None)


def _unmet_needs(box: Profile, need: Need) -> Iterator[Complaint]:
    """Each `Needs` of a key or of the order of play that another key doesn't meet."""
    # The order of play comes first: it decides other keys, which needn't be written.
    for needs in order_of(box).needs:
        value = getattr(box, needs.key)
        if needs.need is need and _applies(needs, box) and value not in needs.values:
            listed = _list(needs.values)
            remedy = f"use {listed}" if listed else "{leave_out}"
            where = f" and {{{needs.where[0]}}}" if needs.where else ""
            yield Complaint(needs.key, f"{_say(value)}is not allowed with {{turns}}{where}; {remedy}", box)
    for key, default, needs in NEEDS:
        value, other = getattr(box, key), getattr(box, needs.key)
        concerned = value in needs.of if needs.of else value != default
        if needs.need is need and concerned and _applies(needs, box) and other not in needs.values:
            given = f"with {{{needs.key}}}" if _list((other,)) else f"without {needs.key}"
            allowed = _with(needs.key, needs.values)
            yield Complaint(key, f"{_say(value)}is not allowed {given}; allowed {allowed}", box)


def _applies(needs: Needs, box: Profile) -> bool:
    return needs.where is None or getattr(box, needs.where[0]) == needs.where[1]


def _say(value: object) -> str:
    return f"{to_toml(value)} " if isinstance(value, str | int) else ""


def _with(key: str, values: tuple[object, ...]) -> str:
    """For example ``with dice = 2 to 9``, ``with shut_wins = "round" or "no"``, ``without teams``."""
    listed = _list(values)
    return f"with {key} = {listed}" if listed else f"without {key}"


def _list(values: tuple[object, ...]) -> str:
    """These values of a key; empty for a key that isn't set."""
    plain = [value for value in values if value not in (None, frozenset())]
    if len(plain) > 2 and all(isinstance(value, int) for value in plain):
        return f"{plain[0]} to {plain[-1]}"
    *some, last = map(to_toml, plain) if plain else [""]
    return f"{', '.join(some)} or {last}" if some else last


def _wrong_operations(box: Profile) -> Complaint | None:
    if box.only_adds or box.difference:
        return None
    if box.dice == 1:
        return Complaint("operations", 'need two dice or more; use ["sum"] with {dice}', box)
    if Operation.PRODUCT in box.operations and box.dice > 3:
        why = '"product" multiplies two or three dice; use dice = 2 or 3 with it'
        return Complaint("operations", why, box)
    if Operation.QUOTIENT in box.operations and box.dice != 2:
        return Complaint("operations", '"quotient" divides two dice; use dice = 2 with it', box)
    return None


def _wrong_carry(box: Profile) -> Complaint | None:
    """Why the pool can't be left on the table for a tie."""
    if box.is_solo:
        return Complaint("tie", "{match} is played alone; allowed with games of several players", box)
    if not box.has_pool and not box.counts_rounds_won:
        why = (
            '"carry" needs something to carry; allowed with stakes = "pool" or "pool-double", or with '
            'match = "rounds-won"'
        )
        return Complaint("tie", why, box)
    if box.match is MatchFormat.TOTAL and box.rounds != 1:
        return Complaint("tie", '"carry" is not allowed with {match} and {rounds}; use rounds = 1', box)
    return None


def _wrong_match(box: Profile) -> Complaint | None:
    """A contradiction between the keys that say who wins."""
    if box.tie is Tie.CARRY and (complaint := _wrong_carry(box)):
        return complaint
    if box.win is Win.FIRST_TO_SHUT:
        one_round = box.rounds == 1 and box.match is MatchFormat.TOTAL
        if not (one_round or box.counts_rounds_won) or box.shut_wins is ShutWins.NO:
            given = "{shut_wins}" if box.shut_wins is ShutWins.NO else "{match} and {rounds}"
            why = (
                f'"first-to-shut" is not allowed here, with {given}; allowed with rounds = 1 and '
                'match = "total", or match = "rounds-won", and with shut_wins = "match" or "round"'
            )
            return Complaint("win", why, box)
    elif box.match in _BY_POINTS and box.highest_wins != (box.match is MatchFormat.TARGET_WINS):
        right = Win.HIGHEST if box.match is MatchFormat.TARGET_WINS else Win.LOWEST
        return Complaint("win", f'"{box.win}" contradicts {{match}}; use "{right}"', box)
    if box.shut_wins is not ShutWins.NO and not box.shut_scores_best:
        given = "{win}" if box.highest_wins else "{score}"
        why = f'"{box.shut_wins}" is not allowed, as with {given} a shut is not best; use "no"'
        return Complaint("shut_wins", why, box)
    if box.is_solo and box.shut_wins is not ShutWins.NO:
        return Complaint("shut_wins", f'"{box.shut_wins}" is not allowed with {{match}}; use "no"', box)
    if box.stakes is Stakes.BANK:
        return _wrong_bank(box)
    return None


def _wrong_bank(box: Profile) -> Complaint | None:
    """A contradiction in a game against the bank."""
    if not box.pays:
        return Complaint("pays", "missing; {stakes} needs stakes by score, as in {{0 = 9, 5 = 2}}", box)
    if box.rounds != 1 or box.match is not MatchFormat.TOTAL:
        given = "{rounds}" if box.rounds != 1 else "{match}"
        why = f'"bank" pays for one turn, not with {given}; allowed with rounds = 1 and match = "total"'
        return Complaint("stakes", why, box)
    if box.shut_wins is not ShutWins.NO:
        why = (
            f'"{box.shut_wins}" is not allowed with {{stakes}}, against which everybody has a turn; use "no"'
        )
        return Complaint("shut_wins", why, box)
    payments = [paid for _, paid in box.pays]
    if payments != sorted(payments, reverse=not box.highest_wins):
        why = "a better score would be paid less; use payments that rise with better scores"
        return Complaint("pays", why, box)
    return None


def _wrong_seats(box: Profile) -> Complaint | None:
    """A contradiction in teams or head starts."""
    if box.is_solo and (box.teams is not None or any(box.handicap)):
        key = "teams" if box.teams is not None else "handicap"
        return Complaint(key, "{match} is played alone; allowed with games of several players", box)
    if box.stakes is Stakes.BANK and box.teams is not None:
        why = "with {stakes} everybody plays alone; allowed with stakes of the players"
        return Complaint("teams", why, box)
    order = order_of(box)
    if any(box.handicap) and not order.has_head_starts:
        return Complaint("handicap", "is not allowed with {turns}; {leave_out}", box)
    wrong = next(filter(None, (_wrong_head_start(box, seat) for seat in range(len(box.handicap)))), None)
    return Complaint("handicap", wrong, box) if wrong else None


def _wrong_head_start(box: Profile, seat: int) -> str | None:
    head = box.handicap[seat]
    if isinstance(head, int):
        if head and box.counts_rounds_won:
            return "points mean nothing with {match}; use tiles that start shut"
        if head and (box.is_race or not order_of(box).has_points):
            return "points mean nothing in a race; use tiles that start shut"
        if box.match is MatchFormat.TARGET_WINS and box.limit is not None and head >= box.limit:
            return f"{head} points would reach the limit; use fewer than {box.limit}"
        return None
    played = for_seat(box, seat)
    none_left = not box.starting & ~to_tiles(head)
    if none_left or (played is not box and why_unplayable(replace(played, handicap=()))):
        shown = ", ".join(map(str, head))
        return f"without {shown} there is nothing to play; use fewer tiles, or others"
    return None


def _always_scores_0(box: Profile) -> bool:
    """Whether every turn goes on until the box is shut, and then scores nothing."""
    if box.row_points and not any(box.row_points) and box.score in _COUNTS_TILES:
        return True
    if not box.only_shut_ends or box.score in (Scoring.SHUT_SUM, Scoring.THROWS):
        return False
    # Only a row that no throw can finish leaves tiles open.
    return box.blocked is Blocked.OPENS_ONE or all(can_ever_move(box, to_tiles([t])) for t in box.tiles)


def _first_always_wins(box: Profile) -> bool:
    """Whether the first turn of a round goes on until the box is shut, and so wins it."""
    if box.shut_wins is ShutWins.NO or not order_of(box).one_turn_each or not box.only_shut_ends:
        return False
    if box.blocked is Blocked.OPENS_ONE:
        return can_be_shut(box) is not False
    return not can_get_stuck(box)


def _without_effect(box: Profile) -> Iterator[Complaint]:
    """The keys that change no match on this box, though other keys allow them."""
    throws_dice = box.dice > 1 and box.draw is Draw.DICE
    if throws_dice and box.one_die is not OneDie.NEVER and not is_one_die_ever_allowed(box):
        why = f'"{box.one_die}" never applies, as the tiles of a turn never allow one die; use "never"'
        yield Complaint("one_die", why, box)
    if throws_dice and box.dice not in dice_allowed(box, box.starting, box.starting_behind):
        for key, usual in _OF_SEVERAL_DICE.items():
            if (value := getattr(box, key)) != usual:
                why = f"{_say(value)}means nothing, as with {{one_die}} only one die is ever thrown"
                yield Complaint(key, f"{why}; {{leave_out}}", box)
    if box.max_tiles is not None and box.max_tiles >= (most := most_in_a_move(box)):
        why = f"{box.max_tiles} is no limit, as no throw shuts more than {most} here"
        yield Complaint("max_tiles", f"{why}; use fewer, or leave it out", box)
    if box.ends_turn_on and (never := sorted(box.ends_turn_on - ending_totals(box))):
        shown = ", ".join(map(str, never))
        yield Complaint("ends_turn_on", f"no throw makes {shown}; use totals that one makes", box)
    elif box.doubles is Doubles.ENDS_TURN and (anyway := sorted(box.ends_turn_on & totals_of_doubles(box))):
        shown = ", ".join(map(str, anyway))
        why = f"only doubles make {shown}, and with {{doubles}} they end the turn anyway; use other totals"
        yield Complaint("ends_turn_on", why, box)
    for key, usual in (("captain", False), ("shut_others", 0)):
        if (value := getattr(box, key)) != usual and can_be_shut(box) is False:
            why = f"{_say(value)}means nothing, as no throws can shut this box; {{leave_out}}"
            yield Complaint(key, why, box)
    for head in box.handicap:
        if not isinstance(head, int) and not to_tiles(head) & box.starting:
            shown = ", ".join(map(str, head))
            yield Complaint("handicap", f"{shown} would start shut anyway; use tiles that start open", box)


_OF_SEVERAL_DICE: Mapping[str, object] = {
    "operations": (Operation.SUM,),
    "difference": False,
    "doubles": Doubles.PLAIN,
    "insurance": False,
}
"""Keys that only matter where several dice are thrown, each with its default."""
