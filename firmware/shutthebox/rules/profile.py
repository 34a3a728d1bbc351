"""A game as data: the keys of a profile with their meanings, defaults and checks."""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from shutthebox import validation
from shutthebox.rules.tiles import MAX_TILE, Tiles, to_tiles
from shutthebox.validation import Check

MAX_PLAYERS = 20
MAX_ROUNDS = 99

MAX_DIGITS = 15
"""The most digits in a digits score: the row 1..12 has 15, which a panel and a float can still show
exactly."""

MAX_LIMIT = 10**MAX_DIGITS - 1
"""The highest limit of points, which a digits score can reach."""

MAX_HEAD_START = 9999
"""The most points in a head start."""

MAX_STAKES = 9999
"""The most stakes that the bank takes or pays."""

MAX_SHUT_OTHERS = 9999
"""The most points that a shut box costs everyone else."""

MAX_OWN_THROWS = 9

ONE_DIE_TILES = (7, 8, 9)
"""The usual tiles that have to be shut for one die, where some have to be."""

DOUBLED = "doubled"
"""A value of `Profile.shut_others`: a shut box doubles everyone else's score."""

_MAX_PAYMENTS = 20


class Group(StrEnum):
    """The heading under which a list shows the game."""

    CLASSIC = "classic"
    FRENCH = "french"
    QUICK = "quick"
    LONG = "long"
    ODD = "odd"
    CHILDREN = "children"


class Back(StrEnum):
    """The back row's numbers: the same as in front, or from high to low."""

    SAME = "same"
    REVERSED = "reversed"


class Draw(StrEnum):
    """Where the numbers come from."""

    DICE = "dice"
    DOMINOES = "dominoes"


class OneDie(StrEnum):
    """When a single die is thrown.

    *high*: no open tile is above a limit; *sum*: the open tiles add up to it or less; *tiles*: at most that
    many are open; *front*: the front tiles add up to it or less; *shut*: certain tiles are shut; *only-one*:
    only tile 1 is open. Optional leaves the choice to the player; forced and only-one mean exactly one die,
    because two dice never show a 1.
    """

    NEVER = "never"
    OPTIONAL_HIGH = "optional-high"
    FORCED_HIGH = "forced-high"
    OPTIONAL_SUM = "optional-sum"
    FORCED_SUM = "forced-sum"
    ONLY_ONE = "only-one"
    OPTIONAL_TILES = "optional-tiles"
    FORCED_TILES = "forced-tiles"
    OPTIONAL_FRONT = "optional-front"
    FORCED_FRONT = "forced-front"
    OPTIONAL_SHUT = "optional-shut"
    FORCED_SHUT = "forced-shut"

    @property
    def is_optional(self) -> bool:
        """Whether the player chooses."""
        return self.value.startswith("optional")


class MoveKind(StrEnum):
    """Which sets of open tiles answer a throw; `shutthebox.rules.moves` has the definitions."""

    SET = "set"
    SINGLE = "single"
    EXACT = "exact"
    FACES = "faces"
    FACES_FREE = "faces-free"
    KNIPSEN = "knipsen"


class Operation(StrEnum):
    """What a throw may be read as; `shutthebox.rules.moves.totals` has the definitions."""

    SUM = "sum"
    DIFFERENCE = "difference"
    PRODUCT = "product"
    QUOTIENT = "quotient"


class Blocked(StrEnum):
    """The effect of a throw without a legal move."""

    ENDS_TURN = "ends-turn"
    PASSES = "passes"
    OPENS_ONE = "opens-one"
    LOSES = "loses"


class Doubles(StrEnum):
    """The effect of a throw whose dice, two or more, are all alike, or whose domino's ends are."""

    PLAIN = "plain"
    ENDS_TURN = "ends-turn"
    DOUBLED = "doubled"


class Turns(StrEnum):
    """The order of play: whole turns, or one throw each in rotation.

    With *alternate*, every player has their own row; with *shared*, there's one for all. With *together*,
    there's one throw for everyone, which each answers on their own row. With *tug*, two players play whole
    turns on one row: the one who begins the round shuts its tiles, the other opens them again.
    """

    WHOLE = "whole"
    ALTERNATE = "alternate"
    SHARED = "shared"
    TOGETHER = "together"
    TUG = "tug"


class Scoring(StrEnum):
    """The worth of a finished turn, from the tiles left open (or shut, or the throws made)."""

    SUM = "sum"
    COUNT = "count"
    DIGITS = "digits"
    DIGITS_REVERSED = "digits-reversed"
    SHUT_SUM = "shut-sum"
    THROWS = "throws"


class Win(StrEnum):
    """Which score wins, or what else does."""

    LOWEST = "lowest"
    HIGHEST = "highest"
    FIRST_TO_SHUT = "first-to-shut"
    LAST_IN = "last-in"


class ShutWins(StrEnum):
    """What a shut box ends at once, making its player the winner."""

    MATCH = "match"
    ROUND = "round"
    NO = "no"


class MatchFormat(StrEnum):
    """When a match is over."""

    TOTAL = "total"
    TARGET_LOSES = "target-loses"
    TARGET_WINS = "target-wins"
    DROP_OUT = "drop-out"
    ROUNDS_WON = "rounds-won"
    LADDER = "ladder"


class First(StrEnum):
    """Which player begins a round.

    With *loser*, it rotates within a match, and the loser begins the next match of the evening. With
    *winner*, the winner of a round begins the next one, and the winner of a match the next match. With
    *roll*, everyone throws before a match, and the highest begins each of its rounds.
    """

    SEAT_1 = "seat-1"
    ROTATES = "rotates"
    LOSER = "loser"
    WINNER = "winner"
    ROLL = "roll"


class Tie(StrEnum):
    """What players tied for the win do.

    With *carry*, nobody wins a tied round: its pool, or its point, goes to the winner of the next one.
    """

    PLAY_OFF = "play-off"
    REPLAY_ALL = "replay-all"
    SHARE = "share"
    CARRY = "carry"


class Stakes(StrEnum):
    """Who owes what after a match, in stakes.

    With *loser-pays*, the worst score of each round pays; with *loser-pays-match*, the worst total of the
    match.
    """

    NONE = "none"
    POOL = "pool"
    POOL_DOUBLE = "pool-double"
    LOSER_PAYS = "loser-pays"
    LOSER_PAYS_MATCH = "loser-pays-match"
    BANK = "bank"


HeadStart: TypeAlias = int | tuple[int, ...]
"""A seat's head start: points off its total, 0 for none, or tiles that start all its turns shut."""


def _rising(low: int, high: int) -> Check[tuple[int, ...]]:
    return validation.numbers(low, high).then(lambda numbers: tuple(sorted(numbers)))


def _row(value: int | list[int]) -> tuple[int, ...]:
    if isinstance(value, list):
        return _rising(1, MAX_TILE)(value)
    return tuple(range(1, validation.whole(1, MAX_TILE)(value) + 1))


_TILES = Check(
    f"1 to {MAX_TILE}, or a list of distinct numbers from 1 to {MAX_TILE}",
    {"anyOf": [validation.whole(1, MAX_TILE).json_schema, _rising(1, MAX_TILE).json_schema]},
    _row,
)


def _score(key: Any) -> int:  # noqa: ANN401  (from TOML)
    text = str(key)
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and str(int(text)) == text):
        raise ValueError
    return int(text)


def _payments(value: Any) -> tuple[tuple[int, int], ...]:  # noqa: ANN401  (from TOML)
    if not isinstance(value, Mapping) or not 1 <= len(value) <= _MAX_PAYMENTS:
        raise ValueError
    paid = validation.whole(0, MAX_STAKES)
    return tuple(sorted((_score(key), paid(stakes)) for key, stakes in value.items()))


_PAYS = Check(
    f"stakes of 0 to {MAX_STAKES} by score, as in {{0 = 9, 5 = 2}}",
    {
        "type": "object",
        "propertyNames": {"pattern": f"^(0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})$"},
        "additionalProperties": validation.whole(0, MAX_STAKES).json_schema,
        "minProperties": 1,
        "maxProperties": _MAX_PAYMENTS,
    },
    _payments,
)


def _shut_others(value: Any) -> int | str:  # noqa: ANN401  (from TOML)
    return DOUBLED if value == DOUBLED else validation.whole(0, MAX_SHUT_OTHERS)(value)


_SHUT_OTHERS = Check(
    f'a whole number from 0 to {MAX_SHUT_OTHERS}, or "{DOUBLED}"',
    {"anyOf": [validation.whole(0, MAX_SHUT_OTHERS).json_schema, {"enum": [DOUBLED]}]},
    _shut_others,
)


def _head_starts(value: Any) -> tuple[HeadStart, ...]:  # noqa: ANN401  (from TOML)
    if not isinstance(value, list) or len(value) > MAX_PLAYERS:
        raise ValueError
    points, tiles = validation.whole(0, MAX_HEAD_START), _rising(1, MAX_TILE)
    return tuple(tiles(head) if isinstance(head, list) else points(head) for head in value)


def _one_of_the_bags(value: Any) -> int:  # noqa: ANN401  (from TOML)
    size = validation.whole(21, 32)(value)
    if size not in (21, 28, 32):
        raise ValueError
    return size


_BAG = Check("21, 28 or 32", {"enum": [21, 28, 32]}, _one_of_the_bags)
_ROW_POINTS = validation.numbers(0, 9, repeated=2)
_OPERATIONS = validation.choices(Operation)


HEAD_STARTS_CHECK = Check(
    f"a list by seat, {MAX_PLAYERS} at most: points of 0 to {MAX_HEAD_START}, or a list of tiles that start "
    "shut, as in [0, 5, [1, 2]]",
    {
        "type": "array",
        "maxItems": MAX_PLAYERS,
        "items": {
            "anyOf": [validation.whole(0, MAX_HEAD_START).json_schema, _rising(1, MAX_TILE).json_schema]
        },
    },
    _head_starts,
)
"""A check for head starts by seat: points off, or a list of tiles that start shut."""

TEAMS_CHECK = validation.whole(2, 4)
"""A check for a number of teams."""

TURN_SECONDS_CHECK = validation.whole(5, 3600)
"""A check for the seconds of a turn."""

_TILE = validation.whole(1, MAX_TILE)


class Need(IntEnum):
    """What a game isn't fit for, if its keys don't meet a need: the most serious first."""

    TO_CHECK = 1  # the engine can't play it, and nothing else about it can be said
    TO_PLAY = 2  # the engine can't play it
    TO_MAKE_SENSE = 3  # nobody should choose it
    TO_MATTER = 4  # a key changes no match; an inherited one is dropped


class Needs(NamedTuple):
    """What a key that isn't at its default requires of another key.

    Attributes:
        key: the other key.
        values: its allowed values.
        of: the values of the key itself that need this; empty for all.
        drops: whether a game that's given the other key doesn't inherit this one.
        where: a key and the value that it must have for this to apply; None for always.
        need: what it's needed for.
    """

    key: str
    values: tuple[object, ...]
    of: tuple[object, ...] = ()
    drops: bool = False
    where: tuple[str, object] | None = None
    need: Need = Need.TO_CHECK


def _key(check: Check[Any] | None, default: object, meaning: str, *needs: Needs) -> Any:  # noqa: ANN401  (the field's type)
    return field(default=default, metadata={"check": check, "meaning": meaning, "needs": needs})


def _of_match(check: Check[Any] | None, default: object, meaning: str, *needs: Needs) -> Any:  # noqa: ANN401  (likewise)
    """A key that affects neither how a turn goes nor what it's worth, so the odds are the same."""
    metadata = {"check": check, "meaning": meaning, "needs": needs, "of_match": True}
    return field(default=default, metadata=metadata)


def all_but(*values: StrEnum) -> tuple[StrEnum, ...]:
    """The other members of a choice."""
    return tuple(value for value in type(values[0]) if value not in values)


def _to_matter(key: str, *values: object) -> Needs:
    return Needs(key, values, need=Need.TO_MATTER)


_SEVERAL_PLAYERS = _to_matter("match", *all_but(MatchFormat.LADDER))
_TWO_ROWS = Needs("rows", (2,), drops=True)
_TWO_DICE = _to_matter("dice", *range(2, 10))
_ONCE_SHUT = (OneDie.OPTIONAL_SHUT, OneDie.FORCED_SHUT)
_BANK = Needs("stakes", (Stakes.BANK,))


def check_of(key: "Field[Any]") -> Check[Any]:
    """The check of a field of `Profile`; for booleans and choices it follows from the default."""
    if isinstance(key.default, StrEnum):
        return validation.choice(type(key.default))
    check: Check[Any] = validation.boolean if isinstance(key.default, bool) else key.metadata["check"]
    return check


@dataclass(frozen=True, repr=False)
class Profile:
    """One game, checked: made by `shutthebox.rules.reader`, or by a test.

    Each key says here what it means, what it may be, and what it needs of other keys;
    `shutthebox.rules.words` has its sentences.
    """

    name: str = field(metadata={"of_match": True, "meaning": "The game's id in commands."})
    titles: tuple[tuple[str, str], ...] = _of_match(
        None, (), "The titles shown, each after the two letters of its language."
    )
    source: str = _of_match(validation.text, "", "Where the rules come from.")
    group: Group = field(
        default=Group.ODD,
        compare=False,
        metadata={
            "of_match": True,
            "meaning": "Its heading in lists; not a rule, so games that differ only in this are the "
            "same game.",
        },
    )
    tiles: tuple[int, ...] = _key(_TILES, tuple(range(1, 10)), "The numbers on the box, rising.")
    boxes: tuple[int, ...] = _of_match(
        _rising(1, MAX_TILE),
        (),
        "Numbers of tiles that the game can be played with, including that of `tiles`. A box other "
        "than `tiles` has the numbers from 1 up.",
    )
    rows: int = _key(
        validation.whole(1, 2),
        1,
        "Of tiles, 1 or 2. A back tile can be shut once the one in front of it has been shut by an "
        "earlier throw. A column is named after its front tile.",
    )
    back: Back = _key(None, Back.SAME, "The numbers of the back row.", _TWO_ROWS)
    through: bool = _key(
        None,
        False,
        "A back tile may be shut by the same throw as the one in front of it.",
        _TWO_ROWS,
        _to_matter("move", *all_but(MoveKind.SINGLE)),
        _to_matter("max_tiles", None, *range(2, MAX_TILE + 1)),
    )
    row_points: tuple[int, ...] = _key(
        _ROW_POINTS,
        (),
        "What a tile of each row counts, front row first; empty for 1 each.",
        _TWO_ROWS,
        _to_matter("score", Scoring.SUM, Scoring.COUNT, Scoring.SHUT_SUM),
    )
    start_open: tuple[int, ...] | None = _key(
        _rising(1, MAX_TILE),
        None,
        "Numbers open when a turn starts; None for all. May name tiles that only a larger box has.",
    )
    dice: int = _key(validation.whole(1, 9), 2, "Dice thrown, 1..9.")
    sides: int = _key(validation.whole(2, 20), 6, "Of each die, 2..20.")
    draw: Draw = _key(
        None,
        Draw.DICE,
        "Dice, or dominoes from a bag without replacement, refilled for each turn (and once a turn "
        "has emptied it).",
        Needs("dice", (2,)),
        Needs("sides", (6,)),
    )
    bag: int = _key(
        _BAG,
        21,
        "How many dominoes it has: 21, 28 with blanks, or a Chinese set of 32.",
        Needs("draw", (Draw.DOMINOES,), drops=True),
    )
    one_die: OneDie = _key(
        None,
        OneDie.NEVER,
        "When a single die is thrown. Doesn't apply to dominoes.",
        Needs("rows", (2,), of=(OneDie.OPTIONAL_FRONT, OneDie.FORCED_FRONT)),
        _TWO_DICE,
        _to_matter("draw", Draw.DICE),
    )
    one_die_at: int | None = _key(
        validation.whole(1, MAX_TILE * (MAX_TILE + 1) // 2),
        None,
        "The limit for that; None for the usual one.",
        Needs("one_die", all_but(OneDie.NEVER, OneDie.ONLY_ONE, *_ONCE_SHUT), drops=True),
    )
    one_die_tiles: tuple[int, ...] | None = _key(
        _rising(1, MAX_TILE),
        None,
        "The tiles that have to be shut for that, as far as the box has them; None for 7, 8 and 9.",
        Needs("one_die", _ONCE_SHUT, drops=True),
    )
    move: MoveKind = _key(None, MoveKind.SET, "Which sets of tiles answer a throw.")
    min_tiles: int = _key(_TILE, 1, "The fewest tiles in one move.", Needs("move", (MoveKind.SET,)))
    max_tiles: int | None = _key(_TILE, None, "The most tiles in one move; None for no limit.")
    operations: tuple[Operation, ...] = _key(
        _OPERATIONS, (Operation.SUM,), "How dice make a total. Doesn't apply to a single die."
    )
    difference: bool = _key(
        None, False, "Two dice may also be subtracted; short for these operations.", Needs("dice", (2,))
    )
    first_move_must_include: int | None = _key(_TILE, None, "A tile that the first move of a turn must shut.")
    ends_turn_on: frozenset[int] = _key(
        _rising(0, 9 * 20).then(frozenset), frozenset(), "Totals that end the turn even if a move exists."
    )
    doubles: Doubles = _key(
        None,
        Doubles.PLAIN,
        "What a double does besides its total: end the turn even if a move exists, or count twice.",
        _TWO_DICE,
        Needs("insurance", (False,), of=(Doubles.ENDS_TURN,)),
        Needs("move", (MoveKind.SET,), of=(Doubles.DOUBLED,)),
    )
    blocked: Blocked = _key(
        None,
        Blocked.ENDS_TURN,
        "What a throw without a move does.",
        Needs("rows", (1,), of=(Blocked.OPENS_ONE,)),
        Needs("turns", (Turns.SHARED,), of=(Blocked.LOSES,)),
    )
    strikes: int = _key(
        validation.whole(1, 9),
        1,
        "How many throws without a move end the turn; earlier ones pass.",
        Needs("blocked", (Blocked.ENDS_TURN,), drops=True),
        Needs("insurance", (False,), drops=True),
        Needs("first_move_must_include", (None,)),
    )
    insurance: bool = _key(
        None,
        False,
        "Every double earns one. A throw without a move uses one up instead of ending the turn, and "
        "the player throws again.",
        _TWO_DICE,
        Needs("blocked", (Blocked.ENDS_TURN, Blocked.LOSES)),
    )
    turns: Turns = _key(
        None,
        Turns.WHOLE,
        "The order of play: whole turns, one throw each in rotation (on own rows or on one for "
        "all), one throw for everyone, or a tug, in which one shuts the tiles and the other opens them.",
    )
    own_throws: int = _of_match(
        validation.whole(0, MAX_OWN_THROWS),
        0,
        "With one throw for everyone, how many first throws of a round players make themselves.",
        Needs("turns", (Turns.TOGETHER,), drops=True),
        _SEVERAL_PLAYERS,
    )
    score: Scoring = _key(
        None,
        Scoring.SUM,
        "What a turn is worth.",
        Needs("rows", (1,), of=(Scoring.DIGITS, Scoring.DIGITS_REVERSED)),
    )
    lost_score: int | None = _key(
        validation.whole(0, 10**MAX_DIGITS - 1),
        None,
        "The score of a turn lost on its first move; None for the sum of all tiles.",
        _to_matter("first_move_must_include", *range(1, MAX_TILE + 1)),
    )
    add_throw: bool = _key(
        None,
        False,
        "The total of the throw that ends a turn is added to its score, and to `lost_score`; a shut box "
        "scores 0.",
        Needs("score", (Scoring.SUM, Scoring.COUNT)),
        Needs("draw", (Draw.DICE,)),
        Needs("turns", (Turns.WHOLE,)),
        Needs("stakes", all_but(Stakes.BANK)),
    )
    win: Win = _key(None, Win.LOWEST, "Which score wins.", Needs("turns", (Turns.SHARED,), of=(Win.LAST_IN,)))
    shut_wins: ShutWins = _of_match(None, ShutWins.ROUND, "What a shut box ends at once.")
    shut_others: int | str = _of_match(
        _SHUT_OTHERS,
        0,
        "How many more points everyone else scores at the end of a round in which somebody has shut "
        'the box, or "doubled"; 0 for none. The shutter\'s team is spared, and play-offs have none.',
        Needs("win", (Win.LOWEST,)),
        Needs("shut_wins", (ShutWins.ROUND, ShutWins.NO)),
        Needs("score", all_but(Scoring.SHUT_SUM, Scoring.THROWS)),
        Needs("match", all_but(MatchFormat.LADDER)),
        Needs("stakes", all_but(Stakes.BANK)),
    )
    rounds: int = _of_match(
        validation.whole(1, MAX_ROUNDS),
        1,
        "Rounds in a match, if totals decide it.",
        _to_matter("match", MatchFormat.TOTAL, MatchFormat.ROUNDS_WON, MatchFormat.LADDER),
    )
    match: MatchFormat = _of_match(None, MatchFormat.TOTAL, "When a match is over.")
    limit: int | None = _of_match(
        validation.whole(0, MAX_LIMIT),
        None,
        "Points, in formats that have a limit; with rounds won, None for a number of rounds. With a "
        "ladder, the total to beat, None for any.",
    )
    tie: Tie = _of_match(
        None,
        Tie.PLAY_OFF,
        "What players tied for the win do.",
        _SEVERAL_PLAYERS,
        _to_matter("stakes", *all_but(Stakes.BANK)),
    )
    stakes: Stakes = _of_match(None, Stakes.NONE, "Who owes what.", _SEVERAL_PLAYERS)
    stake: int = _of_match(
        validation.whole(1, MAX_STAKES),
        1,
        "What each player pays the bank, in stakes (`Stakes.BANK`).",
        _BANK,
    )
    pays: tuple[tuple[int, int], ...] = _of_match(
        _PAYS,
        (),
        "What the bank pays back, in stakes: pairs of a score and the payment for that score or a "
        "better one, by rising scores.",
        _BANK,
    )
    first: First = _of_match(
        None,
        First.SEAT_1,
        "Who begins a round. Play-offs begin with whoever is next in order of those tied.",
        _SEVERAL_PLAYERS,
    )
    captain: bool = _of_match(
        None,
        False,
        "A shut in the very first turn of a match earns the title.",
        Needs("shut_wins", (ShutWins.MATCH,)),
    )
    teams: int | None = _of_match(
        TEAMS_CHECK, None, "How many teams the seats belong to, in rotation; None for none."
    )
    handicap: tuple[HeadStart, ...] = _of_match(
        HEAD_STARTS_CHECK, (), "Head starts by seat, first seat first."
    )
    turn_seconds: int | None = _of_match(
        TURN_SECONDS_CHECK,
        None,
        "Time for a turn from its first throw; in rotation, for each throw. None for no clock.",
    )

    def __repr__(self) -> str:
        """Only what isn't at its default."""
        changed = (f.name for f in fields(self) if getattr(self, f.name) != f.default)
        return f"Profile({', '.join(f'{name}={getattr(self, name)!r}' for name in changed)})"

    @cached_property
    def all_tiles(self) -> Tiles:
        """All tiles of the box."""
        return to_tiles(self.tiles)

    @cached_property
    def starting(self) -> Tiles:
        """The tiles open when a turn starts; the others of the box stay shut."""
        if self.start_open is None:
            return self.all_tiles
        return to_tiles(self.start_open) & self.all_tiles

    @cached_property
    def back_numbers(self) -> Mapping[int, int]:
        """The number of each column's back tile."""
        back = self.tiles if self.back is Back.SAME else self.tiles[::-1]
        return dict(zip(self.tiles, back, strict=True))

    @property
    def starting_behind(self) -> Tiles:
        """The numbers with a back tile when a turn starts."""
        return self.starting if self.rows == 2 else 0

    @cached_property
    def allowed_boxes(self) -> tuple[int, ...]:
        """Every number of tiles this game can be played with, rising."""
        return tuple(sorted({len(self.tiles), *self.boxes}))

    @cached_property
    def on_every_box(self) -> tuple["Profile", ...]:
        """This game on each of its boxes, the smallest first."""
        return tuple(game for count in self.allowed_boxes if (game := self.for_box(count)))

    @cached_property
    def one_die_limit(self) -> int:
        """The limit for `one_die`: `one_die_at`, else the highest face, or one tile."""
        if self.one_die_at is not None:
            return self.one_die_at
        return 1 if self.one_die in (OneDie.OPTIONAL_TILES, OneDie.FORCED_TILES) else 6

    @property
    def one_die_once_shut(self) -> Tiles:
        """The tiles of this box that have to be shut for one die; 0 if that's not the rule."""
        tiles = to_tiles(self.one_die_tiles or ONE_DIE_TILES) & self.all_tiles
        return tiles if self.one_die in _ONCE_SHUT else 0

    @property
    def has_blanks(self) -> bool:
        """Whether some dominoes have blank ends."""
        return self.bag == 28

    @property
    def faces_matter(self) -> bool:
        """Whether a move depends on the individual dice, not just on their total."""
        adds = self.only_adds and self.doubles is Doubles.PLAIN
        return not adds or self.insurance or self.move is not MoveKind.SET

    @cached_property
    def readings(self) -> tuple[Operation, ...]:
        """How dice make a total, in the order in which that's named."""
        return (Operation.SUM, Operation.DIFFERENCE) if self.difference else self.operations

    @cached_property
    def only_adds(self) -> bool:
        """Whether a throw is always read as its sum, and no face matters."""
        return self.readings == (Operation.SUM,)

    @property
    def spare_throws(self) -> int:
        """How many throws without a move a turn can spare from its start."""
        return self.strikes - 1

    @property
    def highest_wins(self) -> bool:
        """Whether more points are better.

        The one place that decides this for a turn or a round: for winners, odds, hints, the computer and
        every "best" that's shown. The reader refuses formats that would contradict `win`.
        """
        return self.win is Win.HIGHEST

    @property
    def highest_total_wins(self) -> bool:
        """Whether a higher total is better, be it of scores or of rounds won."""
        return self.highest_wins or self.counts_rounds_won

    @property
    def counts_rounds_won(self) -> bool:
        """Whether totals count rounds won rather than scores."""
        return self.match is MatchFormat.ROUNDS_WON

    @property
    def has_pool(self) -> bool:
        """Whether everybody pays into a pool."""
        return self.stakes in (Stakes.POOL, Stakes.POOL_DOUBLE)

    @property
    def loser_pays(self) -> bool:
        """Whether the worst score pays, that of each round or that of the match."""
        return self.stakes in (Stakes.LOSER_PAYS, Stakes.LOSER_PAYS_MATCH)

    @property
    def has_rounds(self) -> bool:
        """Whether the players may choose a number of rounds."""
        return self.on_total or (self.counts_rounds_won and self.limit is None)

    @property
    def any_seat_begins(self) -> bool:
        """Whether a seat other than the first may begin a match."""
        return self.first in (First.LOSER, First.WINNER, First.ROLL)

    @property
    def first_moves_on(self) -> bool:
        """Whether another player begins the next round."""
        return self.first not in (First.SEAT_1, First.ROLL)

    @property
    def shut_scores_best(self) -> bool:
        """Whether a shut box has the best score of a turn."""
        return not self.highest_wins and self.score not in (Scoring.SHUT_SUM, Scoring.THROWS)

    @property
    def is_solo(self) -> bool:
        """Whether one player plays alone against a total."""
        return self.match is MatchFormat.LADDER

    @property
    def on_total(self) -> bool:
        """Whether the players may choose a number of rounds to add up."""
        several = self.win in (Win.LOWEST, Win.HIGHEST) and self.stakes is not Stakes.BANK
        return self.match is MatchFormat.TOTAL and several and self.tie is not Tie.CARRY

    @property
    def is_race(self) -> bool:
        """Whether somebody always shuts the box and so wins, so that scores and ties never count."""
        return self.win is Win.FIRST_TO_SHUT and self.only_shut_ends

    @property
    def only_shut_ends(self) -> bool:
        """Whether a turn continues until the box is shut: nothing blocks, loses or ends it earlier."""
        return (
            self.blocked in (Blocked.PASSES, Blocked.OPENS_ONE)
            and not self.ends_turn_on
            and self.doubles is not Doubles.ENDS_TURN
            and self.first_move_must_include is None
            and self.turn_seconds is None
        )

    def title(self, language: str = "en", translate: Callable[[str], str] = str) -> str:
        """The title to show.

        Args:
            language: two letters; the profile's own title in it comes first.
            translate: translates the English title otherwise.

        Returns:
            The title, or the name if there's no English title.
        """
        titles = dict(self.titles)
        return titles.get(language) or (translate(titles["en"]) if titles.get("en") else self.name)

    def with_limit(self, limit: int | None) -> "Profile":
        """This game to another limit, from 1 up; the same game if it has none, or for None.

        Players can't choose what a ladder has to beat.
        """
        return self if self.limit is None or limit is None or self.is_solo else replace(self, limit=limit)

    def for_box(self, count: int) -> "Profile | None":
        """This game on a box of `count` tiles; None if it can't be played on that box."""
        if count == len(self.tiles):
            return self
        if count in self.boxes:
            return replace(self, tiles=tuple(range(1, count + 1)))
        return None

    def for_levers(self, levers: int) -> "Profile | None":
        """This game on a box with levers 1..`levers`; None if no box fits.

        Takes the largest box that fits and ignores levers beyond it.
        """
        for count in reversed(self.allowed_boxes):
            if (self.tiles[-1] if count == len(self.tiles) else count) <= levers:
                return self.for_box(count)
        return None


NEEDS: tuple[tuple[str, object, Needs], ...] = tuple(
    (key.name, key.default, needs) for key in fields(Profile) for needs in key.metadata.get("needs", ())
)
"""Each key with its default, and what it needs."""

DROPS: Mapping[str, tuple[str, ...]] = {
    **{
        need.key: tuple(key for key, _, other in NEEDS if other.drops and other.key == need.key)
        for _, _, need in NEEDS
        if need.drops
    },
    "operations": ("difference",),
    "difference": ("operations",),
}
"""For each key, which keys a game that sets it doesn't inherit through `like`."""
