"""Games that nobody may choose, although the engine plays them, and keys that change no match."""

import random
from fractions import Fraction

import pytest
from tests.support.chance import next_action
from tests.support.house import house, on_table
from tests.support.positions import common_throw
from tests.unit.rules.refused import CONTRADICTORY, NOT_CHOSEN

from shutthebox.config import profiles
from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import Action, apply
from shutthebox.rules.contradictions import CONTRADICTIONS, Contradiction, complaints
from shutthebox.rules.match import Match, begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Doubles, OneDie
from shutthebox.rules.reader import ProfileError, parse_keys, unchecked_profile
from shutthebox.rules.record import Record, parse, write
from shutthebox.rules.shutting import can_be_shut, can_get_stuck
from shutthebox.rules.turn import Outcome


def what_refuses(text: str) -> list[Contradiction]:
    """The contradictions that the author of these house rules is told of."""
    keys = parse_keys(text, "house.toml", profiles._builtin_keys)
    found = complaints(unchecked_profile(keys, "house.toml", "house"), keys.inherited)
    return [
        next(
            each
            for each in CONTRADICTIONS
            if each.key == wrong.key and each.holds(wrong.box) and each.complaint(wrong.box) == wrong
        )
        for wrong in found
    ]


def test_every_contradiction_refuses_an_example() -> None:
    """One that refuses none could be left out in silence: a new key needs an example of each of its own."""
    examples = [text for text, _ in CONTRADICTORY] + list(NOT_CHOSEN)
    used = {contradiction for text in examples for contradiction in what_refuses(text)}
    silent = [f"{each.key} ({each.need.name})" for each in CONTRADICTIONS if each not in used]
    assert silent == [], "tests/unit/rules/refused.py: house rules that it refuses"


@pytest.mark.parametrize(("text", "complaint"), NOT_CHOSEN.items())
def test_a_game_that_makes_no_sense_is_refused_to_whoever_chooses_it(text: str, complaint: str) -> None:
    with pytest.raises(ProfileError) as caught:
        house(text)
    assert str(caught.value).startswith(f"house.toml: {complaint}")


@pytest.mark.parametrize("text", NOT_CHOSEN)
def test_its_matches_are_played_on_and_its_records_are_read(text: str) -> None:
    """The box may have been updated in the middle of one."""
    game, chance = on_table(text), random.Random(text)
    match, actions = begin(game, order_of(game).seats(game, 2)), list[Action]()
    while match.stage is not Stage.FINISHED and len(actions) < 400:
        actions.append(next_action(match, chance))
        match = apply(match, actions[-1])
    record = Record(game, match.players, match.rounds, tuple(actions))

    assert parse(write(record), "record", builtin) == record


ALLOWED = [
    'like = "pub"\nblocked = "passes"\nshut_wins = "no"',
    'like = "pub"\nblocked = "passes"\nturn_seconds = 60',
    'like = "pub"\nblocked = "passes"\nends_turn_on = [7]',
    'like = "pub"\nblocked = "passes"\ndoubles = "ends-turn"',
    'like = "pub"\nblocked = "passes"\nfirst_move_must_include = 2',
    'like = "pub"\nblocked = "passes"\nturns = "alternate"',
    'like = "pub"\nblocked = "passes"\nturns = "together"',
    # A 1 that's left alone can't be shut by two dice, and ends the turn.
    'blocked = "passes"',
    'blocked = "opens-one"\ntiles = [2, 4, 25]',
    'doubles = "ends-turn"\nends_turn_on = [2]\none_die = "optional-high"',
    'doubles = "ends-turn"\nends_turn_on = [4]',
    # It has an effect on one of the boxes.
    'boxes = [9, 12]\ntiles = 12\none_die = "optional-high"\none_die_at = 3',
    "boxes = [4, 9]\nmax_tiles = 3",
    'like = "unlucky-seven"\none_die = "optional-high"\nends_turn_on = [1, 7]',
]


@pytest.mark.parametrize("text", ALLOWED)
def test_a_game_that_somebody_else_may_win_is_allowed(text: str) -> None:
    house(text)


def test_whoever_begins_does_win_every_time() -> None:
    """And may lose where the reader allows the same without a single die."""

    def winners(text: str) -> set[tuple[int, ...]]:
        found = set()
        for seed in range(60):
            match, chance = begin(on_table(f"tiles = 4\n{text}"), 3), random.Random(seed)
            while match.result is None:
                match = apply(match, next_action(match, chance))
            found.add(match.result.winners)
        return found

    one_die = 'one_die = "optional-high"\n'
    assert winners(f'{one_die}blocked = "passes"') == {(0,)}
    assert winners(f'{one_die}blocked = "opens-one"') == {(0,)}
    assert len(winners('blocked = "passes"')) > 1


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('like = "traditional"\ndice = 1', "one_die", OneDie.NEVER),
        ('like = "below-six"\ndraw = "dominoes"', "one_die_at", None),
        ('like = "high-rollers"\ndice = 1', "insurance", False),
        ('like = "doubles-end"\ndice = 1', "doubles", Doubles.PLAIN),
        ('like = "box-for-four"\ndice = 1', "doubles", Doubles.PLAIN),
        ('like = "jouhet"\nmatch = "drop-out"\nlimit = 60', "rounds", 1),
        ('like = "double-shutter"\nscore = "throws"', "row_points", ()),
        ('like = "unlucky-seven"\ndice = 1', "ends_turn_on", frozenset()),
        ('like = "double-shutter"\nmove = "single"', "through", False),
        ('like = "digits"\nturns = "tug"', "tie", house("").tie),
    ],
)
def test_an_inherited_key_without_effect_is_dropped(text: str, key: str, value: object) -> None:
    game = house(f"{text}\n" + 'shut_wins = "round"' * ("tug" in text))
    assert getattr(game, key) == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            'like = "traditional"\nwin = "highest"',
            'shut_wins = "match" (from traditional): "match" is not allowed, as with win = "highest"',
        ),
        (
            'like = "traditional"\nshut_others = 20',
            'shut_others: 20 is not allowed with shut_wins = "match" (from traditional); allowed with',
        ),
        (
            'like = "two-to-go"\nturns = "tug"',
            'first_move_must_include = 2 (from two-to-go): 2 is not allowed with turns = "tug"; start from',
        ),
        ('like = "jouhet"\nwin = "first-to-shut"', 'win: "first-to-shut" is not allowed here, with match ='),
        (
            'like = "bank"\nrounds = 2',
            'stakes = "bank" (from bank): "bank" pays for one turn, not with rounds',
        ),
        ('like = "pub"\nblocked = "passes"', "blocked: "),
    ],
)
def test_a_complaint_says_which_keys_came_from_another_game(text: str, complaint: str) -> None:
    with pytest.raises(ProfileError) as caught:
        house(text)
    said = str(caught.value).removeprefix("house.toml: ")
    assert said.startswith(complaint)
    assert "(from " in said


def test_every_contradiction_of_a_file_is_told() -> None:
    with pytest.raises(ProfileError) as caught:
        house("through = true\ninsurance = true\ndice = 1\nbag = 28\nown_throws = 2")
    told = [mistake.split(": ")[1] for mistake in caught.value.mistakes]
    assert told == ["through", "bag", "own_throws", "insurance"]


@pytest.mark.parametrize(
    ("text", "stuck", "shut"),
    [
        ("", True, True),
        ('one_die = "optional-high"', False, True),
        ('one_die = "forced-high"\ntiles = [1, 9]', False, True),
        ("tiles = [1, 25]", True, False),
        ("tiles = [2, 4, 25]", True, False),
        ("min_tiles = 2", True, True),
        ("rows = 2", True, True),
        ('rows = 2\nback = "reversed"\nthrough = true', True, True),
        ('rows = 2\none_die = "only-one"', False, True),
        ('tiles = 1\ndraw = "dominoes"', True, False),
        ('dice = 4\ntiles = 5\none_die = "optional-tiles"', True, True),
        ('tiles = [2, 3]\ndoubles = "ends-turn"', False, True),
        ('tiles = [2]\ndoubles = "ends-turn"', False, False),
        ("tiles = [4, 7]\nends_turn_on = [4, 11]", False, False),
        ('blocked = "opens-one"\ntiles = [2, 3, 7, 10]\nsides = 3\ndoubles = "doubled"', True, True),
    ],
)
def test_whether_a_box_can_be_shut(text: str, *, stuck: bool, shut: bool) -> None:
    game = on_table(text)
    assert (can_get_stuck(game), can_be_shut(game)) == (stuck, shut)


def follow(match: Match, *answers: str) -> Match:
    """Goes on with throws (``3+5``), answers (``1,2``, ``-``), and presses (empty)."""
    for answer in answers:
        if not answer:
            match = match.advance()
        elif "+" in answer:
            match = match.throw(tuple(map(int, answer.split("+"))))
        else:
            tiles = [] if answer == "-" else answer.split(",")
            match = match.move(sum(1 << (int(tile) - 1) for tile in tiles))
    return match


TOGETHER = 'tiles = 3\nturns = "together"\nown_throws = 1\n'


@pytest.mark.parametrize(
    ("keys", "played"),
    [
        ('draw = "dominoes"\nbag = 28', ("0+0", "-")),
        ("strikes = 2", ("5+6", "-")),
        ("insurance = true", ("4+4", "-")),
    ],
)
def test_an_own_throw_that_costs_nothing_but_a_spare_is_made_again(
    keys: str, played: tuple[str, ...]
) -> None:
    match = follow(begin(house(TOGETHER + keys), 2), *played)
    assert (match.player, match.stage) == (0, Stage.THROW)
    match = follow(match, "1+2", "3", "1+1", "2")
    assert (match.player, match.round.rows[0].repeated, match.round.common) == (0, 1, None)
    match = follow(match, "1+5")
    assert common_throw(match) == (1, 5), "the next one is for both"


def test_the_throw_for_everyone_is_never_made_again() -> None:
    match = begin(house('turns = "together"\nstrikes = 2\ntiles = 3'), 2)
    match = follow(match, "5+6", "-")
    assert (match.player, common_throw(match)) == (1, (5, 6))


HALF = Fraction(1, 2)

LIMIT = """
tiles = 4
turns = "together"
match = "target-loses"
limit = 2
score = "count"
shut_wins = "no"
stakes = "loser-pays"
"""


def test_of_those_blocked_by_one_throw_the_worst_total_loses() -> None:
    match = follow(begin(house(LIMIT), 3), "1+2", "1,2", "1+2", "3", "1+2", "3")
    match = follow(match, "6+6", "", "6+6", "", "6+6")
    assert match.result is not None
    assert (match.totals, match.losers, match.result.winners) == ((2, 3, 3), (1, 2), (0,))
    assert list(match.result.owes) == [0, HALF, HALF]


def test_those_who_are_level_all_lose() -> None:
    match = follow(begin(house(LIMIT), 2), "1+2", "3", "1+2", "3", "6+6", "", "6+6")
    assert match.result is not None
    assert (match.totals, match.result.winners) == ((3, 3), ())
    assert match.result.owes == (HALF, HALF)


def test_everyone_answers_the_throw_that_takes_one_to_the_limit() -> None:
    match = follow(begin(house(LIMIT), 2), "1+2", "1,2", "1+2", "3", "1+1")
    assert (match.player, match.stage, match.result) == (0, Stage.ADVANCE, None)
    match = follow(match, "", "1+1", "2")
    assert match.result is not None
    assert (match.result.winners, match.losers) == ((1,), (0,))
    assert (match.player, match.turn.outcome) == (0, Outcome.BLOCKED), "whose turn has ended the match"
    assert follow(match, "").stage is Stage.FINISHED


def test_opening_all_the_tiles_of_a_tug_shuts_no_box() -> None:
    game = house('turns = "tug"\ntiles = 3\nstakes = "pool-double"')
    opened = follow(begin(game, 2), "1+2", "1,2", "6+6", "", "1+2", "1,2")
    assert opened.result is not None
    assert opened.result.winners == (1,)
    assert list(opened.result.owes) == [1, -1]
    shut = follow(begin(game, 2), "1+2", "1,2", "1+2", "3")
    assert shut.result is not None
    assert list(shut.result.owes) == [-2, 2]


@pytest.mark.parametrize(
    ("stakes", "owes"), [("loser-pays-match", [Fraction(0), Fraction(1)]), ("loser-pays", [HALF, 3 * HALF])]
)
def test_who_buys_for_each_round_and_who_for_the_match(stakes: str, owes: list[Fraction]) -> None:
    match = begin(house(f'tiles = 3\nshut_wins = "no"\nrounds = 2\nstakes = "{stakes}"'), 2)
    match = follow(match, "1+2", "3", "6+6", "", "6+6", "", "6+6", "", "6+6")
    assert match.result is not None
    assert match.totals == (9, 12)
    assert list(match.result.owes) == owes
