"""What keeps a game from being played, or from being chosen.

`CONTRADICTIONS` has it all in order: what a key or an order of play needs of other keys, and what several
keys say together. Three questions are asked, from the most to the least serious:

* `why_unplayable`: the engine can't play it. Stored matches and records are only asked this.
* `why_not_chosen`: nobody would want to play it, such as a game that whoever begins always wins. It's
  asked of a game that somebody chooses.
* `keys_without_effect`: a key changes nothing on any box. It's asked of a file.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from string import Formatter
from typing import NamedTuple

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
from shutthebox.rules.orders import ORDERS, OrderOfPlay, for_seat, order_of
from shutthebox.rules.profile import (
    MAX_DIGITS,
    MAX_LIMIT,
    NEEDS,
    ONE_DIE_TILES,
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
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.writer import to_toml

MAX_MOVES = 6_000
"""The most moves of one throw; a pack of cards and nine dice have 5,718. The loop looks at all of them, so
more would delay levers."""

_BY_POINTS = (MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS, MatchFormat.DROP_OUT)
"""Formats that are decided at a limit of points, and so by the highest or by the lowest totals."""

_COUNTS_TILES = (Scoring.SUM, Scoring.COUNT, Scoring.SHUT_SUM)

_BY_DIGITS = (Scoring.DIGITS, Scoring.DIGITS_REVERSED)


class Complaint(NamedTuple):
    """What's wrong with a game.

    Attributes:
        key: the key to change.
        why: what's wrong with it, and what's allowed, as in `Contradiction.text`.
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


class Contradiction(NamedTuple):
    """Keys that don't go together.

    Attributes:
        key: the one to change.
        holds: whether a game is like that. Those before it in `CONTRADICTIONS` don't hold.
        text: what's wrong with the key, and what's allowed; or a function that says so. A key in braces, as
            in ``{dice}``, stands for that key with its value, and ``{leave_out}`` for how to do without the
            key; braces that are meant are doubled.
        need: what the game isn't fit for.
    """

    key: str
    holds: Callable[[Profile], object]
    text: str | Callable[[Profile], str]
    need: Need = Need.TO_PLAY

    def complaint(self, box: Profile) -> Complaint:
        """What to say of a game for which it holds."""
        return Complaint(self.key, self.text if isinstance(self.text, str) else self.text(box), box)


def why_unplayable(box: Profile) -> Complaint | None:
    """Why the engine can't play this game; None if it can."""
    return _first(_UNPLAYABLE, box)


def why_not_chosen(box: Profile) -> Complaint | None:
    """Why nobody should choose this game; None if it's a good one."""
    return _first(_NOT_CHOSEN, box)


def contradiction(box: Profile) -> str | None:
    """Why nobody should choose this game, as ``key: what is allowed``; None if it's a good one."""
    complaint = why_not_chosen(box)
    return complaint.to_text() if complaint else None


def complaints(game: Profile, inherited: Collection[str]) -> tuple[Complaint, ...]:
    """Everything that's wrong with a game that somebody chooses, as far as one mistake doesn't hide another.

    Args:
        game: the game; it's looked at on all its boxes.
        inherited: the keys that come from another game. That they have no effect isn't wrong.
    """
    first, *others = game.on_every_box
    unmet = [need for need in _NEEDS if need.holds(first)]
    if any(need.need is Need.TO_CHECK for need in unmet):
        found = dict[str, Complaint]()
        for need in unmet:
            if need.need is not Need.TO_MATTER or need.key not in inherited:
                found.setdefault(need.key, need.complaint(first))
        return tuple(found.values())
    if wrong := next(filter(None, map(why_not_chosen, (first, *others))), None):
        return (wrong,)
    return tuple(keys_without_effect(game, lambda key: key not in inherited).values())


def keys_without_effect(game: Profile, asked: Callable[[str], bool]) -> Mapping[str, Complaint]:
    """The keys that change no match on any box of a game, each with why; none if keys contradict each other.

    Args:
        game: the game; it's looked at on all its boxes.
        asked: whether a key is one of those in question.
    """
    idle = [each for each in _WITHOUT_EFFECT if asked(each.key)]
    if not idle or _first(_UNCHECKED, game):
        return {}
    idle = [each for each in idle if each.holds(game)]
    if not idle or any(_first(_UNCHECKED, box) for box in game.on_every_box):
        return {}
    found = dict[str, Complaint]()
    for each in idle:
        if all(map(each.holds, game.on_every_box)):
            found.setdefault(each.key, each.complaint(game.on_every_box[0]))
    return found


def _first(contradictions: tuple[Contradiction, ...], box: Profile) -> Complaint | None:
    return next((each.complaint(box) for each in contradictions if each.holds(box)), None)


def _needs_of_order(order: OrderOfPlay, needs: Needs) -> Contradiction:
    """What an order of play needs of another key: that one has to change."""

    def holds(box: Profile) -> bool:
        if order_of(box) is not order or (needs.where and getattr(box, needs.where[0]) != needs.where[1]):
            return False
        return getattr(box, needs.key) not in needs.values

    def text(box: Profile) -> str:
        where = f" and {{{needs.where[0]}}}" if needs.where else ""
        remedy = f"use {listed}" if (listed := _list(needs.values)) else "{leave_out}"
        return f"{_say(getattr(box, needs.key))}is not allowed with {{turns}}{where}; {remedy}"

    return Contradiction(needs.key, holds, text, needs.need)


def _needs_of_key(key: str, default: object, needs: Needs) -> Contradiction:
    """What a key needs of another: the key itself has to change."""

    def holds(box: Profile) -> bool:
        value = getattr(box, key)
        concerned = value in needs.of if needs.of else value != default
        return concerned and getattr(box, needs.key) not in needs.values

    def text(box: Profile) -> str:
        given = f"with {{{needs.key}}}" if _list((getattr(box, needs.key),)) else f"without {needs.key}"
        allowed = (
            f"with {needs.key} = {listed}" if (listed := _list(needs.values)) else f"without {needs.key}"
        )
        return f"{_say(getattr(box, key))}is not allowed {given}; allowed {allowed}"

    return Contradiction(key, holds, text, needs.need)


def _say(value: object) -> str:
    return f"{to_toml(value)} " if isinstance(value, str | int) else ""


def _and(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _list(values: tuple[object, ...]) -> str:
    """These values of a key; empty for a key that isn't set."""
    plain = [value for value in values if value not in (None, frozenset())]
    if len(plain) > 2 and all(isinstance(value, int) for value in plain):
        return f"{plain[0]} to {plain[-1]}"
    *some, last = map(to_toml, plain) if plain else [""]
    return f"{', '.join(some)} or {last}" if some else last


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


def _reads_otherwise(box: Profile) -> bool:
    return not (box.only_adds or box.difference)


def _first_tile(box: Profile) -> Tiles:
    """The tile that the first move of a turn must shut, if there's one."""
    return 0 if box.first_move_must_include is None else to_tiles([box.first_move_must_include])


def _has_too_many_moves(box: Profile) -> bool:
    # Short rows can't have that many sets, and most rows are short.
    return (1 if rows.are_plain(box) else 3) << len(box.tiles) > MAX_MOVES and most_moves(box) > MAX_MOVES


def _most_tiles(box: Profile) -> int:
    """The most tiles that one move may have."""
    return min(box.max_tiles or MAX_MOVES, box.starting.bit_count() * box.rows)


def _digits(box: Profile) -> int:
    return len("".join(map(str, box.tiles)))


def _lost_score_is_good(box: Profile) -> bool:
    """Whether a turn lost on its first move scores better than some other turn."""
    if box.first_move_must_include is None or box.lost_score is None:
        return False
    worst = worst_score(box)
    return box.lost_score > worst if box.highest_wins else box.lost_score < worst


def _lacks_a_first(box: Profile) -> bool:
    """Whether the first to shut the box wins, but not of one round, or nothing."""
    one_round = box.rounds == 1 and box.match is MatchFormat.TOTAL
    return box.win is Win.FIRST_TO_SHUT and (
        not (one_round or box.counts_rounds_won) or box.shut_wins is ShutWins.NO
    )


def _wins_the_wrong_way(box: Profile) -> bool:
    decided = box.win is not Win.FIRST_TO_SHUT and box.match in _BY_POINTS
    return decided and box.highest_wins != (box.match is MatchFormat.TARGET_WINS)


def _is_bank(box: Profile) -> bool:
    return box.stakes is Stakes.BANK


def _is_paid_less_for_more(box: Profile) -> bool:
    payments = [paid for _, paid in box.pays]
    return payments != sorted(payments, reverse=not box.highest_wins)


def _wrong_head_start(box: Profile) -> str:
    """What's wrong with the first wrong head start; empty if none is."""
    return next(filter(None, (_wrong_head_start_of(box, seat) for seat in range(len(box.handicap)))), "")


def _wrong_head_start_of(box: Profile, seat: int) -> str:
    head = box.handicap[seat]
    if isinstance(head, int):
        if head and box.counts_rounds_won:
            return "points mean nothing with {match}; use tiles that start shut"
        if head and (box.is_race or not order_of(box).has_points):
            return "points mean nothing in a race; use tiles that start shut"
        if box.match is MatchFormat.TARGET_WINS and box.limit is not None and head >= box.limit:
            return f"{head} points would reach the limit; use fewer than {box.limit}"
        return ""
    played = for_seat(box, seat)
    none_left = not box.starting & ~to_tiles(head)
    if none_left or (played is not box and why_unplayable(replace(played, handicap=()))):
        return f"without {_and(head)} there is nothing to play; use fewer tiles, or others"
    return ""


def _shut_from_the_start(box: Profile) -> list[tuple[int, ...]]:
    """Head starts of tiles that start shut for everybody."""
    return [head for head in box.handicap if not isinstance(head, int) and not to_tiles(head) & box.starting]


def _throws_dice(box: Profile) -> bool:
    return box.dice > 1 and box.draw is Draw.DICE


def _throws_one_die_only(box: Profile) -> bool:
    return _throws_dice(box) and box.dice not in dice_allowed(box, box.starting, box.starting_behind)


def _ends_turn_in_vain(box: Profile) -> str:
    """What's wrong with the totals that end a turn; empty if nothing is."""
    if never := sorted(box.ends_turn_on - ending_totals(box)) if box.ends_turn_on else []:
        return f"no throw makes {_and(never)}; use totals that one makes"
    if box.doubles is not Doubles.ENDS_TURN or not (anyway := box.ends_turn_on & totals_of_doubles(box)):
        return ""
    why = f"only doubles make {_and(sorted(anyway))}, and with {{doubles}} they end the turn anyway"
    return f"{why}; use other totals"


def _matters_with_several_dice(key: str, usual: object) -> Contradiction:
    return Contradiction(
        key,
        lambda box: _throws_one_die_only(box) and getattr(box, key) != usual,
        lambda box: (
            f"{_say(getattr(box, key))}means nothing, as with {{one_die}} only one die is ever thrown; "
            "{leave_out}"
        ),
        Need.TO_MATTER,
    )


def _matters_for_a_shut_box(key: str, usual: object) -> Contradiction:
    return Contradiction(
        key,
        lambda box: getattr(box, key) != usual and can_be_shut(box) is False,
        lambda box: f"{_say(getattr(box, key))}means nothing, as no throws can shut this box; {{leave_out}}",
        Need.TO_MATTER,
    )


_WITH_SEVERAL_TOTALS = (
    'is not allowed with {operations}, as a throw may have several totals; allowed with "sum" among them'
)

_PLAYED_ALONE = "{match} is played alone; allowed with games of several players"

_NEEDS = tuple(
    sorted(
        [
            # The order of play comes first: it decides other keys, which needn't be written.
            *(_needs_of_order(order, needs) for order in ORDERS for needs in order.needs),
            *(_needs_of_key(*each) for each in NEEDS),
        ],
        key=lambda each: each.need,
    )
)

_OF_SEVERAL_KEYS = (
    Contradiction(
        "operations",
        lambda box: _reads_otherwise(box) and box.dice == 1,
        'need two dice or more; use ["sum"] with {dice}',
        Need.TO_CHECK,
    ),
    Contradiction(
        "operations",
        lambda box: _reads_otherwise(box) and Operation.PRODUCT in box.operations and box.dice > 3,
        '"product" multiplies two or three dice; use dice = 2 or 3 with it',
        Need.TO_CHECK,
    ),
    Contradiction(
        "operations",
        lambda box: _reads_otherwise(box) and Operation.QUOTIENT in box.operations and box.dice != 2,
        '"quotient" divides two dice; use dice = 2 with it',
        Need.TO_CHECK,
    ),
    Contradiction(
        "start_open",
        lambda box: not box.starting,
        "no tile of the box would be open; use its tiles",
        Need.TO_CHECK,
    ),
    Contradiction(
        "one_die_tiles",
        lambda box: box.one_die in (OneDie.OPTIONAL_SHUT, OneDie.FORCED_SHUT) and not box.one_die_once_shut,
        lambda box: (
            f"none of {_and(box.one_die_tiles or ONE_DIE_TILES)} is on a box of {len(box.tiles)} tiles; "
            "use its tiles"
        ),
    ),
    Contradiction(
        "first_move_must_include",
        lambda box: _first_tile(box) & ~box.starting,
        lambda box: f"tile {box.first_move_must_include} does not start open; use tiles that do",
    ),
    Contradiction(
        "first_move_must_include",
        lambda box: _first_tile(box) and not can_ever_move(box, box.starting, _first_tile(box)),
        lambda box: f"no throw can shut tile {box.first_move_must_include}; use tiles that one can",
    ),
    Contradiction(
        "dice",
        _has_too_many_moves,
        lambda box: (
            f"{box.dice} of {box.sides} sides have over {MAX_MOVES} moves on {len(box.tiles)} tiles; "
            "use fewer dice, sides or tiles"
        ),
    ),
    Contradiction(
        "min_tiles",
        lambda box: box.min_tiles > _most_tiles(box),
        lambda box: f"{box.min_tiles} are more than one move may have; use up to {_most_tiles(box)}",
    ),
    Contradiction(
        "row_points",
        lambda box: box.row_points and len(box.row_points) != box.rows,
        lambda box: f"{list(box.row_points)} has another number of rows; use two numbers",
    ),
    Contradiction(
        "ends_turn_on",
        lambda box: 0 in box.ends_turn_on and not box.has_blanks,
        "0 is the double blank; allowed with bag = 28",
    ),
    Contradiction(
        "score",
        lambda box: box.score in _BY_DIGITS and _digits(box) > MAX_DIGITS,
        lambda box: f"{_digits(box)} digits can't be shown; use rows of up to {MAX_DIGITS} (1 to 12)",
    ),
    Contradiction(
        "rounds",
        lambda box: box.counts_rounds_won and box.limit is not None and box.rounds != 1,
        "is not allowed with {match} and limit, which ends the match; use one of the two",
    ),
    Contradiction(
        "limit",
        lambda box: box.limit is None and box.match in _BY_POINTS,
        "missing; {match} needs a whole number from 1 up",
    ),
    Contradiction(
        "limit",
        lambda box: box.limit is not None and box.match is MatchFormat.TOTAL,
        "means nothing with {match}; allowed with target-loses, target-wins, drop-out, rounds-won, ladder",
    ),
    Contradiction(
        "limit",
        lambda box: box.limit == 0 and not box.is_solo,
        f"0 is not allowed; use a whole number from 1 to {MAX_LIMIT}",
    ),
    Contradiction(
        "limit",
        lambda box: box.limit is not None and box.match in _BY_POINTS and _always_scores_0(box),
        "never reached, since every turn scores 0; allowed where a turn can score",
    ),
    Contradiction(
        "lost_score",
        _lost_score_is_good,
        lambda box: (
            f"{box.lost_score} is better than the worst score of a turn; "
            f"use {f'up to {worst_score(box)}' if box.highest_wins else f'{worst_score(box)} or more'}"
        ),
    ),
    Contradiction("tie", lambda box: box.tie is Tie.CARRY and box.is_solo, _PLAYED_ALONE),
    Contradiction(
        "tie",
        lambda box: box.tie is Tie.CARRY and not box.has_pool and not box.counts_rounds_won,
        '"carry" needs something to carry; allowed with stakes = "pool" or "pool-double", or with '
        'match = "rounds-won"',
    ),
    Contradiction(
        "tie",
        lambda box: box.tie is Tie.CARRY and box.match is MatchFormat.TOTAL and box.rounds != 1,
        '"carry" is not allowed with {match} and {rounds}; use rounds = 1',
    ),
    Contradiction(
        "win",
        _lacks_a_first,
        lambda box: (
            '"first-to-shut" is not allowed here, with '
            f"{'{shut_wins}' if box.shut_wins is ShutWins.NO else '{match} and {rounds}'}; allowed with "
            'rounds = 1 and match = "total", or match = "rounds-won", and with shut_wins = "match" or "round"'
        ),
    ),
    Contradiction(
        "win",
        _wins_the_wrong_way,
        lambda box: (
            f'"{box.win}" contradicts {{match}}; '
            f'use "{Win.HIGHEST if box.match is MatchFormat.TARGET_WINS else Win.LOWEST}"'
        ),
    ),
    Contradiction(
        "shut_wins",
        lambda box: box.shut_wins is not ShutWins.NO and not box.shut_scores_best,
        lambda box: (
            f'"{box.shut_wins}" is not allowed, as with {"{win}" if box.highest_wins else "{score}"} a shut '
            'is not best; use "no"'
        ),
    ),
    Contradiction(
        "shut_wins",
        lambda box: box.is_solo and box.shut_wins is not ShutWins.NO,
        lambda box: f'"{box.shut_wins}" is not allowed with {{match}}; use "no"',
    ),
    Contradiction(
        "pays",
        lambda box: _is_bank(box) and not box.pays,
        "missing; {stakes} needs stakes by score, as in {{0 = 9, 5 = 2}}",
    ),
    Contradiction(
        "stakes",
        lambda box: _is_bank(box) and (box.rounds != 1 or box.match is not MatchFormat.TOTAL),
        lambda box: (
            f'"bank" pays for one turn, not with {"{rounds}" if box.rounds != 1 else "{match}"}; '
            'allowed with rounds = 1 and match = "total"'
        ),
    ),
    Contradiction(
        "shut_wins",
        lambda box: _is_bank(box) and box.shut_wins is not ShutWins.NO,
        lambda box: (
            f'"{box.shut_wins}" is not allowed with {{stakes}}, against which everybody has a turn; use "no"'
        ),
    ),
    Contradiction(
        "pays",
        lambda box: _is_bank(box) and _is_paid_less_for_more(box),
        "a better score would be paid less; use payments that rise with better scores",
    ),
    Contradiction("teams", lambda box: box.is_solo and box.teams is not None, _PLAYED_ALONE),
    Contradiction("handicap", lambda box: box.is_solo and any(box.handicap), _PLAYED_ALONE),
    Contradiction(
        "teams",
        lambda box: _is_bank(box) and box.teams is not None,
        "with {stakes} everybody plays alone; allowed with stakes of the players",
    ),
    Contradiction(
        "handicap",
        lambda box: any(box.handicap) and not order_of(box).has_head_starts,
        "is not allowed with {turns}; {leave_out}",
    ),
    Contradiction("handicap", _wrong_head_start, _wrong_head_start),
    Contradiction(
        "tiles",
        lambda box: not can_ever_move(box, box.starting, behind=box.starting_behind),
        lambda box: f"no throw can shut any of {_and(to_numbers(box.starting))}; use tiles that one can",
        Need.TO_MAKE_SENSE,
    ),
    Contradiction(
        "ends_turn_on",
        lambda box: box.ends_turn_on and not has_one_ending_total(box),
        _WITH_SEVERAL_TOTALS,
        Need.TO_MAKE_SENSE,
    ),
    Contradiction(
        "add_throw",
        lambda box: box.add_throw and not has_one_ending_total(box),
        _WITH_SEVERAL_TOTALS,
        Need.TO_MAKE_SENSE,
    ),
    Contradiction(
        "row_points",
        lambda box: box.row_points and not any(box.row_points) and box.score in _COUNTS_TILES,
        "every turn would score 0; use numbers of which one isn't 0",
        Need.TO_MAKE_SENSE,
    ),
    Contradiction(
        "blocked",
        _first_always_wins,
        lambda box: (
            f'"{box.blocked}" is not allowed here, as only a shut box ends a turn and {{shut_wins}}: '
            'whoever begins always wins; use "ends-turn", or shut_wins = "no"'
        ),
        Need.TO_MAKE_SENSE,
    ),
    Contradiction(
        "one_die",
        lambda box: (
            _throws_dice(box) and box.one_die is not OneDie.NEVER and not is_one_die_ever_allowed(box)
        ),
        lambda box: f'"{box.one_die}" never applies, as the tiles of a turn never allow one die; use "never"',
        Need.TO_MATTER,
    ),
    _matters_with_several_dice("operations", (Operation.SUM,)),
    _matters_with_several_dice("difference", False),
    _matters_with_several_dice("doubles", Doubles.PLAIN),
    _matters_with_several_dice("insurance", False),
    Contradiction(
        "max_tiles",
        lambda box: box.max_tiles is not None and box.max_tiles >= most_in_a_move(box),
        lambda box: (
            f"{box.max_tiles} is no limit, as no throw shuts more than {most_in_a_move(box)} here; "
            "use fewer, or leave it out"
        ),
        Need.TO_MATTER,
    ),
    Contradiction("ends_turn_on", _ends_turn_in_vain, _ends_turn_in_vain, Need.TO_MATTER),
    _matters_for_a_shut_box("captain", False),
    _matters_for_a_shut_box("shut_others", 0),
    Contradiction(
        "handicap",
        _shut_from_the_start,
        lambda box: (
            f"{_and(_shut_from_the_start(box)[-1])} would start shut anyway; use tiles that start open"
        ),
        Need.TO_MATTER,
    ),
)

CONTRADICTIONS: tuple[Contradiction, ...] = tuple(
    sorted((*_NEEDS, *_OF_SEVERAL_KEYS), key=lambda each: each.need)
)
"""All contradictions, in the order in which they're looked for: a game is refused for the first that holds. A
later one may take for granted that no earlier one does."""


def _up_to(need: Need) -> tuple[Contradiction, ...]:
    return tuple(each for each in CONTRADICTIONS if each.need <= need)


_UNCHECKED = _up_to(Need.TO_CHECK)
_UNPLAYABLE = _up_to(Need.TO_PLAY)
_NOT_CHOSEN = _up_to(Need.TO_MAKE_SENSE)
_WITHOUT_EFFECT = CONTRADICTIONS[len(_NOT_CHOSEN) :]
