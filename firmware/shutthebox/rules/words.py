"""The rules of a game in words: for each key its sentences, and its line in the summary.

A function for each key yields what there's to say of it, in the order of a sheet of rules: setting up,
playing a turn, winning a match. Texts are in English, the language of the source; the catalogues have them in
the others, like every text of the box.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from shutthebox.rules.endings import LAST_ROUND, MAX_TIE_ROUNDS
from shutthebox.rules.handicap import points_off, tiles_off
from shutthebox.rules.moves import ends_turn, is_one_die_ever_allowed
from shutthebox.rules.orders import Sentence, order_of
from shutthebox.rules.profile import (
    Back,
    Blocked,
    Doubles,
    Draw,
    First,
    MatchFormat,
    MoveKind,
    OneDie,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Win,
)
from shutthebox.rules.rows import are_plain
from shutthebox.rules.score import MAX_THROWS, best_score, idle_is_worst, lost_score, worst_score
from shutthebox.rules.shutting import can_be_shut
from shutthebox.rules.tiles import to_numbers
from shutthebox.rules.turn import DOUBLE_BLANK
from shutthebox.texts import N_, fill_in, plural


class Brief(NamedTuple):
    """A rule in the summary that a player of the traditional game wouldn't expect."""

    text: str
    values: Mapping[str, int] = {}


class Aim(NamedTuple):
    """How the game is won, in the summary."""

    text: str
    values: Mapping[str, int] = {}


_Phrases: TypeAlias = Iterator[Sentence | Brief | Aim]

_WORDS: dict[str, Callable[[Profile], _Phrases]] = {}
"""By key, in the order of a sheet of rules, what there's to say of it."""


def _of(key: str) -> Callable[[Callable[[Profile], _Phrases]], Callable[[Profile], _Phrases]]:
    """The function has the words of this key, and of those that only go with it."""

    def register(words: Callable[[Profile], _Phrases]) -> Callable[[Profile], _Phrases]:
        _WORDS[key] = words
        return words

    return register


# Setting up.


@_of("tiles")
def _tiles(game: Profile) -> _Phrases:
    values = {"count": len(game.tiles), "tiles": game.tiles}
    yield Sentence(
        plural("The box has one tile, the {tiles}.", "The box has {count} tiles, {tiles}."), values
    )
    if len(game.tiles) > _USUAL_TILES:
        yield Brief(N_("{count} tiles."), {"count": len(game.tiles)})


_USUAL_TILES = 9


@_of("rows")
def _rows(game: Profile) -> _Phrases:
    first, last = game.tiles[0], game.tiles[-1]
    if game.back is Back.REVERSED:
        yield Brief(N_("Two rows, {last} behind {first}."), {"first": first, "last": last})
    elif game.rows == 2:
        yield Brief(N_("Two rows, one behind the other."))
    if game.rows == 1:
        return
    if game.back is Back.REVERSED and game.through:
        text = N_(
            "There are two rows: {first} to {last}, and behind it {last} to {first}. A tile at the back can "
            "be shut once the one in front of it is, even in the same move."
        )
    elif game.back is Back.REVERSED:
        text = N_(
            "There are two rows: {first} to {last}, and behind it {last} to {first}. A tile at the back can "
            "be shut once the one in front of it has been shut in an earlier move."
        )
    elif are_plain(game):
        text = N_(
            "There are two rows of the same tiles, one behind the other. A tile of the back row can be shut "
            "once the one in front of it, with the same number, has been shut in an earlier move."
        )
    else:
        text = N_(
            "There are two rows of the same tiles, one behind the other. A tile at the back can be shut once "
            "the one in front of it is, even in the same move."
        )
    yield Sentence(text, {"first": first, "last": last})


@_of("row_points")
def _row_points(game: Profile) -> _Phrases:
    if game.rows == 1 or game.row_points in ((), (1, 1)):
        return
    front, behind = game.row_points
    if (front, behind) == (2, 1):
        yield Sentence(N_("A tile in front counts double."))
    else:
        text = N_("A tile in front counts ×{front}, one at the back ×{behind}.")
        yield Sentence(text, {"front": front, "behind": behind})


@_of("boxes")
def _boxes(game: Profile) -> _Phrases:
    if len(game.allowed_boxes) > 1:
        text = N_("The same rules are played on boxes with {boxes} tiles.")
        yield Sentence(text, {"boxes": game.allowed_boxes})


@_of("start_open")
def _start_open(game: Profile) -> _Phrases:
    order, opened = order_of(game), to_numbers(game.starting)
    of_round = order.one_row or order.opens
    if game.starting == game.all_tiles:
        whole = N_("A turn starts with every tile open.")
        yield Sentence(N_("A round starts with every tile open.") if of_round else whole)
        return
    yield Brief(
        plural("Start with tile {tile} open.", "Start with {count} tiles open."),
        {"tile": opened[0], "count": len(opened)},
    )
    if len(opened) > 1:
        text = N_("A turn starts with only tiles {tiles} open; the others are shut and stay shut.")
        round_text = N_("A round starts with only tiles {tiles} open; the others are shut and stay shut.")
    else:
        text = N_("A turn starts with only tile {tiles} open; the others are shut and stay shut.")
        round_text = N_("A round starts with only tile {tiles} open; the others are shut and stay shut.")
    yield Sentence(round_text if of_round else text, {"tiles": opened})


# Playing a turn.


@_of("draw")
def _draw(game: Profile) -> _Phrases:
    if game.draw is Draw.DICE:
        return
    yield Brief(N_("Dominoes with blanks.") if game.has_blanks else N_("Dominoes instead of dice."))
    text = N_(
        "There are no dice: a throw is a domino drawn from a bag of {bag}. Drawn dominoes stay out; "
        "the bag is full again for every turn, and when it has run empty."
    )
    if order_of(game).one_bag:
        text = N_(
            "There are no dice: a throw is a domino drawn from one bag for all, of {bag}. Drawn "
            "dominoes stay out; the bag is full again for every round, and when it has run empty."
        )
    yield Sentence(text, {"bag": _BAGS[game.bag]})
    if not game.has_blanks:
        return
    if ends_turn(game, DOUBLE_BLANK):
        yield Sentence(N_("A blank counts 0."))
    elif not order_of(game).one_throw:
        yield Sentence(N_("A blank counts 0. After the double blank the player draws again."))
    elif not game.own_throws:
        yield Sentence(N_("A blank counts 0. The double blank shuts nothing and ends no turn."))
    else:
        yield Sentence(
            N_(
                "A blank counts 0. The double blank shuts nothing and ends no turn; a player who draws it "
                "alone draws again."
            )
        )


_BAGS = {21: N_("21, 1-1 to 6-6"), 28: N_("28, 0-0 to 6-6"), 32: N_("32, a Chinese set")}


@_of("dice")
def _dice(game: Profile) -> _Phrases:
    if game.dice > 2:
        yield Brief(
            plural("{dice} dice, one tile.", "{dice} dice, {tiles} tiles."),
            {"dice": game.dice, "tiles": len(game.tiles)},
        )
    elif game.dice == 1:
        yield Brief(N_("One die with {sides} sides."), {"sides": game.sides})
    if game.draw is Draw.DICE:
        text = plural(
            "A throw is one die with {sides} sides.", "A throw is {dice} dice with {sides} sides each."
        )
        yield Sentence(text, {"dice": game.dice, "sides": game.sides})


@_of("one_die")
def _one_die(game: Profile) -> _Phrases:
    if game.draw is not Draw.DICE or game.dice == 1:
        return
    # No tile of a turn may ever be low enough for one die to be thrown.
    if not is_one_die_ever_allowed(game):
        both = N_("Both dice are always thrown.")
        many = N_("All {dice} dice are always thrown.")
        yield Sentence(both if game.dice == 2 else many, {"dice": game.dice})
        return
    is_always = game.one_die_limit >= game.tiles[-1]
    match game.one_die:
        case OneDie.NEVER:
            return
        case OneDie.OPTIONAL_HIGH:
            text = N_("When no tile above {at} is open, the player may throw one die instead.")
            if is_always:
                text = N_("The player may throw one die at any time.")
        case OneDie.FORCED_HIGH:
            text = N_("When no tile above {at} is open, one die must be thrown.")
            if is_always:
                text = N_("Only one die is ever thrown.")
        case OneDie.OPTIONAL_SUM:
            text = N_("When the open tiles add up to {at} or less, the player may throw one die instead.")
        case OneDie.FORCED_SUM:
            text = N_("When the open tiles add up to {at} or less, one die must be thrown.")
        case OneDie.OPTIONAL_TILES:
            text = plural(
                "When only one tile is open, the player may throw one die instead.",
                "When at most {at} tiles are open, the player may throw one die instead.",
            )
        case OneDie.FORCED_TILES:
            text = plural(
                "When only one tile is open, one die must be thrown.",
                "When at most {at} tiles are open, one die must be thrown.",
            )
        case OneDie.OPTIONAL_FRONT:
            text = N_("When the foremost tiles add up to {at} or less, the player may throw one die instead.")
        case OneDie.FORCED_FRONT:
            text = N_("When the foremost tiles add up to {at} or less, one die must be thrown.")
        case OneDie.OPTIONAL_SHUT:
            text = N_("When no tile {shut} is open, the player may throw one die instead.")
            if not game.starting & game.one_die_once_shut:
                text = N_("The player may throw one die at any time.")
        case OneDie.FORCED_SHUT:
            text = N_("When no tile {shut} is open, one die must be thrown.")
            if not game.starting & game.one_die_once_shut:
                text = N_("Only one die is ever thrown.")
        case OneDie.ONLY_ONE:
            text = N_("When tile 1 is the only one open, one die must be thrown.")
            if game.rows == 2:
                text = N_("When no tiles but 1s are open, one die must be thrown.")
    shut = to_numbers(game.one_die_once_shut)
    yield Sentence(text, {"shut": shut} if shut else {"at": game.one_die_limit})
    if order_of(game).one_throw:
        yield Sentence(N_("One die is thrown only if the rule allows it for everyone still in."))


@_of("move")
def _move(game: Profile) -> _Phrases:
    if game.move is MoveKind.KNIPSEN:
        yield Brief(N_("Shut the sum, the dice, or some."))
    elif game.move is MoveKind.SINGLE or game.max_tiles == 1:
        yield Brief(N_("One tile a throw."))
    elif game.move is MoveKind.EXACT:
        yield Brief(N_("Use the whole throw."))
    elif game.move is MoveKind.FACES:
        yield Brief(N_("Shut the sum or the dice."))
    elif game.move is MoveKind.FACES_FREE:
        yield Brief(N_("The sum, both dice, or one."))
    text, drawn = _MOVES[game.move]
    yield Sentence(text, drawn=drawn)


_MOVES = {
    MoveKind.SET: (
        N_("After a throw, the player shuts any open tiles that add up to the total."),
        N_("After drawing, the player shuts any open tiles that add up to the domino's total."),
    ),
    MoveKind.SINGLE: (
        N_("After a throw, the player shuts one open tile: the total, or the number on one of the dice."),
        N_(
            "After drawing, the player shuts one open tile: the total, or the number on one end of the "
            "domino."
        ),
    ),
    MoveKind.EXACT: (
        N_(
            "The whole throw must be used: the player shuts the tile of the total, or one tile for each die "
            "if all show different numbers."
        ),
        N_(
            "The whole domino must be used: the player shuts the tile of the total, or one tile for each end "
            "if they show different numbers."
        ),
    ),
    MoveKind.FACES: (
        N_(
            "After a throw, the player shuts either the tile of the total, or all tiles the dice "
            "show that are still open."
        ),
        N_(
            "After drawing, the player shuts either the tile of the total, or all tiles the "
            "domino's ends show that are still open."
        ),
    ),
    MoveKind.FACES_FREE: (
        N_(
            "After a throw, the player shuts either the tile of the total, or any of the tiles the dice show."
        ),
        N_(
            "After drawing, the player shuts either the tile of the total, or one or both of the "
            "tiles the domino's ends show."
        ),
    ),
    MoveKind.KNIPSEN: (
        N_(
            "After a throw, the player shuts the tile of the total, the tiles the dice show, or "
            "only some of these: after 2 and 6, the 2, the 6 and the 8, or one or two of them."
        ),
        N_(
            "After drawing, the player shuts the tile of the total, the tiles the domino's ends "
            "show, or only some of these: with the 2-6, the 2, the 6 and the 8, or one or two of "
            "them."
        ),
    ),
}


@_of("operations")
def _operations(game: Profile) -> _Phrases:
    if game.only_adds:
        return
    if game.readings == (Operation.SUM, Operation.DIFFERENCE) and game.dice > 2:
        text = N_("{dice} dice, each plus or minus.")
        yield Brief(text, {"dice": game.dice})
    else:
        yield Brief(_READINGS.get(game.readings, N_("Another way to read the dice.")))
    if game.readings == (Operation.SUM, Operation.DIFFERENCE) and game.dice == 2:
        yield Sentence(
            N_("The two dice may also be subtracted, the smaller from the larger."),
            drawn=N_("The two ends may also be subtracted, the smaller from the larger."),
        )
        return
    values = {"operations": game.readings}
    if len(game.readings) == 1:
        yield Sentence(N_("The dice are {operations}."), values, N_("The two ends are {operations}."))
    else:
        yield Sentence(N_("The dice may be {operations}."), values, N_("The two ends may be {operations}."))
    if Operation.DIFFERENCE in game.readings and game.dice > 2:
        yield Sentence(N_("They may be subtracted in any order that leaves more than 0."))
    if Operation.QUOTIENT in game.readings:
        yield Sentence(N_("They are divided only if that leaves no remainder, the larger by the smaller."))


_READINGS: dict[tuple[Operation, ...], str] = {
    (Operation.SUM, Operation.DIFFERENCE): N_("Add the dice or subtract them."),
    (Operation.SUM, Operation.PRODUCT): N_("Add the dice or multiply them."),
    (Operation.SUM, Operation.QUOTIENT): N_("Add the dice or divide them."),
    tuple(Operation): N_("Add, subtract, multiply, divide."),
}

_OPERATIONS = {
    Operation.SUM: N_("added"),
    Operation.DIFFERENCE: N_("subtracted"),
    Operation.PRODUCT: N_("multiplied"),
    Operation.QUOTIENT: N_("divided"),
}


@_of("min_tiles")
def _min_tiles(game: Profile) -> _Phrases:
    if game.min_tiles > 1:
        values = {"least": game.min_tiles}
        text = N_("At least {least} tiles are shut in one move.")
        yield Sentence(text, values)
        yield Brief(N_("At least {least} tiles a throw."), values)


@_of("max_tiles")
def _max_tiles(game: Profile) -> _Phrases:
    if game.max_tiles is not None:
        values = {"most": game.max_tiles}
        yield Sentence(
            plural("Only one tile is shut in one move.", "At most {most} tiles are shut in one move."),
            values,
            plural("Only one tile is shut for one domino.", "At most {most} tiles are shut for one domino."),
        )
        if game.max_tiles > 1:
            yield Brief(N_("At most {most} tiles a throw."), values)


@_of("first_move_must_include")
def _first_move_must_include(game: Profile) -> _Phrases:
    if (tile := game.first_move_must_include) is not None:
        text = N_(
            "The first move of a turn must shut tile {tile}. A first throw that can't do so loses the "
            "turn, which then scores {points}."
        )
        if game.add_throw:
            text = N_(
                "The first move of a turn must shut tile {tile}. A first throw that can't do so loses the "
                "turn, which then scores {points} and the throw."
            )
        yield Sentence(
            text,
            {"tile": tile, "points": lost_score(game)},
            N_(
                "The first move of a turn must shut tile {tile}. A first domino that can't do so loses the "
                "turn, which then scores {points}."
            ),
        )
        yield Brief(N_("Shut the {tile} first."), {"tile": tile})


@_of("ends_turn_on")
def _ends_turn_on(game: Profile) -> _Phrases:
    if game.ends_turn_on:
        text = N_("A total of {totals} ends the turn at once, even if tiles could be shut.")
        if len(game.readings) > 1:
            text = N_("A sum of {totals} ends the turn at once, even if tiles could be shut.")
        yield Sentence(text, {"totals": tuple(sorted(game.ends_turn_on))})
    if len(game.ends_turn_on) == 1:
        yield Brief(N_("A throw of {total} ends the turn."), {"total": min(game.ends_turn_on)})


@_of("doubles")
def _doubles(game: Profile) -> _Phrases:
    match game.doubles:
        case Doubles.PLAIN:
            return
        case Doubles.ENDS_TURN:
            yield Sentence(N_("A double ends the turn."))
            yield Brief(N_("A double ends the turn."))
        case Doubles.DOUBLED:
            example = N_("A double counts twice: 5 and 5 are 20.")
            yield Sentence(N_("A double counts twice.") if game.dice > 2 else example)
            yield Brief(N_("A double counts twice."))


@_of("strikes")
def _strikes(game: Profile) -> _Phrases:
    if game.strikes > 1:
        yield Sentence(
            N_("The {nth} throw without a move ends the turn."),
            {"nth": _ORDINALS[game.strikes - 2]},
            N_("The {nth} domino without a move ends the turn."),
        )
        text = N_("{strikes} misses and you are out.")
        yield Brief(text, {"strikes": game.strikes})


_ORDINALS = (
    N_("second"),
    N_("third"),
    N_("fourth"),
    N_("fifth"),
    N_("sixth"),
    N_("seventh"),
    N_("eighth"),
    N_("ninth"),
)


@_of("blocked")
def _blocked(game: Profile) -> _Phrases:
    if game.blocked is Blocked.PASSES:
        yield Brief(N_("No move? Play on."))
    elif game.blocked is Blocked.OPENS_ONE:
        yield Brief(N_("No move? Open a tile."))
    if game.strikes == 1:
        text, drawn = _BLOCKED[game.blocked]
        yield Sentence(text, drawn=drawn)
    if game.blocked is Blocked.OPENS_ONE and not can_be_shut(game):
        yield Sentence(
            N_("From throw {throws} on, a throw without a move ends the turn."),
            {"throws": MAX_THROWS},
            N_("From domino {throws} on, a domino without a move ends the turn."),
        )


_BLOCKED = {
    Blocked.ENDS_TURN: (
        N_("If a throw can't shut anything, the turn ends."),
        N_("If a domino can't shut anything, the turn ends."),
    ),
    Blocked.PASSES: (
        N_("If a throw can't shut anything, nothing happens: the player goes on with the next throw."),
        N_("If a domino can't shut anything, nothing happens: the player goes on with the next domino."),
    ),
    Blocked.OPENS_ONE: (
        N_("If a throw can't shut anything, the player opens one shut tile and goes on."),
        N_("If a domino can't shut anything, the player opens one shut tile and goes on."),
    ),
    Blocked.LOSES: (
        N_("If a throw can't shut anything, the player is out."),
        N_("If a domino can't shut anything, the player is out."),
    ),
}


@_of("insurance")
def _insurance(game: Profile) -> _Phrases:
    if game.insurance and order_of(game).one_throw:
        yield Sentence(
            N_(
                "Every double earns an insurance marker. If a throw can't shut anything, a marker is used up "
                "instead."
            ),
            drawn=N_(
                "Every double earns an insurance marker. If a domino can't shut anything, a marker is used "
                "up instead."
            ),
        )
    elif game.insurance:
        yield Sentence(
            N_(
                "Every double earns an insurance marker. If a throw can't shut anything, a marker is "
                "used up instead, and the player throws again."
            ),
            drawn=N_(
                "Every double earns an insurance marker. If a domino can't shut anything, a marker "
                "is used up instead, and the player draws again."
            ),
        )
    if game.dice > 2 and (game.insurance or game.doubles is not Doubles.PLAIN):
        yield Sentence(N_("A double is a throw whose dice are all alike."))


@_of("turns")
def _turns(game: Profile) -> _Phrases:
    order = order_of(game)
    if order.summary:
        yield Brief(order.summary)
    if not order.has_points and game.match is MatchFormat.TOTAL:
        yield Aim(N_("The last tile wins."))
    if not game.is_solo:
        yield from order.rules(game)


@_of("turn_seconds")
def _turn_seconds(game: Profile) -> _Phrases:
    if game.turn_seconds is None:
        return
    values = {"seconds": game.turn_seconds}
    if order_of(game).whole_turns:
        yield Sentence(
            N_("A turn may last {seconds} seconds from its first throw. Then it ends as if blocked."),
            values,
            N_("A turn may last {seconds} seconds from its first domino. Then it ends as if blocked."),
        )
    else:
        yield Sentence(
            N_("Players have {seconds} seconds for each throw. Then their turn ends as if blocked."),
            values,
            N_("Players have {seconds} seconds for each domino. Then their turn ends as if blocked."),
        )
    if not idle_is_worst(game):
        yield Sentence(N_("A turn that runs out of time gets the worst score there is."))


@_of("score")
def _score(game: Profile) -> _Phrases:
    if game.score is Scoring.DIGITS:
        yield Brief(N_("Open tiles read as a number."))
    elif game.score is Scoring.DIGITS_REVERSED:
        yield Brief(N_("Open tiles read backwards."))
    elif game.score is Scoring.COUNT:
        yield Brief(N_("Every open tile is one point."))
    counts = game.win is not Win.LAST_IN or game.loser_pays
    if counts and not game.is_race and order_of(game).has_points:
        drawn = N_("A turn scores the number of dominoes it took.") if game.score is Scoring.THROWS else ""
        yield Sentence(_SCORES[game.score], drawn=drawn)


_SCORES = {
    Scoring.SUM: N_("A turn scores the sum of the tiles left open."),
    Scoring.COUNT: N_("A turn scores one point for each tile left open."),
    Scoring.DIGITS: N_(
        "A turn scores the open tiles read as one number from left to right: 1, 4 and 7 are 147."
    ),
    Scoring.DIGITS_REVERSED: N_(
        "A turn scores the open tiles read as one number from right to left: 2, 3 and 9 are 932."
    ),
    Scoring.SHUT_SUM: N_("A turn scores the sum of the tiles the player has shut."),
    Scoring.THROWS: N_("A turn scores the number of throws it took."),
}


@_of("add_throw")
def _add_throw(game: Profile) -> _Phrases:
    if game.add_throw and not game.is_race:
        text = N_("The total of the throw that ends the turn is added to its score; a shut box scores 0.")
        if len(game.readings) > 1:
            text = N_("The sum of the throw that ends the turn is added to its score; a shut box scores 0.")
        yield Sentence(text)
        yield Brief(N_("The last throw is added."))


# Winning a match.


def _has_rivals(game: Profile) -> bool:
    """Whether players win against each other."""
    return not game.is_solo and game.stakes is not Stakes.BANK


def _adds_up(game: Profile) -> bool:
    """Whether scores added up over a number of rounds decide between the players."""
    by_points = order_of(game).has_points and not game.is_race and game.win is not Win.LAST_IN
    return _has_rivals(game) and game.match is MatchFormat.TOTAL and by_points


@_of("rounds")
def _rounds(game: Profile) -> _Phrases:
    if game.rounds > 1 and not game.counts_rounds_won:
        yield Brief(N_("{rounds} rounds, added up."), {"rounds": game.rounds})
    if game.is_solo:
        text = plural("A match is one turn.", "A match has {rounds} rounds, and the scores are added up.")
        yield Sentence(text, {"rounds": game.rounds})
    elif _adds_up(game) or not _has_rivals(game):
        text = plural(
            "A match is one round, one turn for every player.",
            "A match has {rounds} rounds, unless the players agree on another number. Their scores are added "
            "up.",
        )
        yield Sentence(text, {"rounds": game.rounds if _has_rivals(game) else 1})


@_of("match")
def _match(game: Profile) -> _Phrases:
    limit = {"limit": game.limit or 0}
    match game.match:
        case MatchFormat.TOTAL:
            return
        case MatchFormat.LADDER:
            yield Aim(N_("Alone: beat the best so far."))
            text = N_(
                "The match is for one player. Any total wins, and the box remembers it as the one to beat "
                "next time."
            )
            if game.limit is not None:
                text = N_(
                    "The match is for one player, who wins with a better total than {limit}. The box "
                    "remembers that total as the one to beat next time; once it's the best possible, "
                    "reaching it again wins."
                )
            yield Sentence(text, limit)
        case MatchFormat.ROUNDS_WON:
            yield Aim(N_("Win the most rounds."))
            yield _rounds_won(game)
        case MatchFormat.TARGET_LOSES:
            yield Aim(plural("At one point you lose.", "At {limit} points you lose."), limit)
            text = plural(
                "Scores are added up round after round. The match ends with the turn in which somebody gets "
                "a point, or reaches another limit that the players have agreed on: that player has lost, "
                "and the lowest total of the others wins.",
                "Scores are added up round after round. The match ends with the turn in which somebody "
                "reaches {limit} points, or another limit that the players have agreed on: that player has "
                "lost, and the lowest total of the others wins.",
            )
            yield Sentence(text, limit)
            if order_of(game).one_throw:
                yield Sentence(
                    N_(
                        "If one throw takes several players to the limit, only the worst total of them "
                        "loses; players level on it lose together."
                    ),
                    drawn=N_(
                        "If one domino takes several players to the limit, only the worst total of them "
                        "loses; players level on it lose together."
                    ),
                )
        case MatchFormat.TARGET_WINS:
            yield Aim(plural("At one point you win.", "At {limit} points you win."), limit)
            text = plural(
                "Scores are added up round after round. When somebody has a point, or as many as the "
                "players have agreed on, at the end of a round, the match is over and the highest "
                "total wins.",
                "Scores are added up round after round. When somebody has {limit} points, or as many as the "
                "players have agreed on, at the end of a round, the match is over and the highest "
                "total wins.",
            )
            yield Sentence(text, limit)
        case MatchFormat.DROP_OUT:
            yield Aim(plural("At one point you are out.", "At {limit} points you are out."), limit)
            text = plural(
                "Scores are added up round after round. A player who has a point, or as many as the players "
                "have agreed on, at the end of a round is out, and the last one left wins. If the last ones "
                "go out together, the lowest of their totals wins.",
                "Scores are added up round after round. A player who has {limit} points, or as many as the "
                "players have agreed on, at the end of a round is out, and the last one left wins. If the "
                "last ones go out together, the lowest of their totals wins.",
            )
            yield Sentence(text, limit)


def _rounds_won(game: Profile) -> Sentence:
    by_score = game.win is not Win.FIRST_TO_SHUT
    if game.limit is None:
        text = plural(
            "The best score of the round wins a point, and so the match.",
            "The best score of a round wins a point; after {rounds} rounds the most points win.",
        )
        of_first = plural(
            "The winner of the round gets a point, and so wins the match.",
            "The winner of a round gets a point; after {rounds} rounds the most points win.",
        )
        return Sentence(text if by_score else of_first, {"rounds": game.rounds})
    text = plural(
        "The best score of a round wins a point; the first player with a point wins.",
        "The best score of a round wins a point; the first player with {limit} points wins.",
    )
    of_first = plural(
        "The winner of a round gets a point; the first player with a point wins.",
        "The winner of a round gets a point; the first player with {limit} points wins.",
    )
    return Sentence(text if by_score else of_first, {"limit": game.limit})


@_of("win")
def _win(game: Profile) -> _Phrases:
    yield Aim(_WINS[game.win][0])
    if game.is_solo:
        highest = N_("The higher a total is, the better.")
        yield Sentence(highest if game.win is Win.HIGHEST else N_("The lower a total is, the better."))
    elif _has_rivals(game) and game.counts_rounds_won:
        yield Sentence(_best_of_round(game))
    elif _has_rivals(game) and game.match is MatchFormat.TOTAL and order_of(game).has_points:
        yield Sentence(N_("The first to shut the box wins.") if game.is_race else _WINS[game.win][1])


_WINS = {
    Win.LOWEST: (N_("The lowest score wins."), N_("The lowest score wins.")),
    Win.HIGHEST: (N_("The highest score wins."), N_("The highest score wins.")),
    Win.FIRST_TO_SHUT: (
        N_("The first to shut the box wins."),
        N_("The first to shut the box wins; if nobody does, the lowest score."),
    ),
    Win.LAST_IN: (
        N_("The last one left wins."),
        N_("The last player left wins, or whoever shuts the last tile."),
    ),
}


def _best_of_round(game: Profile) -> str:
    """Who wins a round."""
    is_lowest, carries = game.win is Win.LOWEST, game.tie is Tie.CARRY
    if game.win is Win.FIRST_TO_SHUT:
        if not order_of(game).has_points:
            return N_("The player who moves the last tile wins the round.")
        if game.is_race:
            return N_("The first to shut the box wins the round.")
        return N_("The first to shut the box wins the round; if nobody does, the lowest score does.")
    if carries:
        return N_("The lowest score is the best.") if is_lowest else N_("The highest score is the best.")
    if is_lowest:
        return N_("The lowest score is the best; players tied for it win a point each.")
    return N_("The highest score is the best; players tied for it win a point each.")


@_of("shut_wins")
def _shut_wins(game: Profile) -> _Phrases:
    if game.shut_wins is ShutWins.MATCH:
        yield Brief(N_("Shut the box and you win."))
    if not _has_rivals(game):
        return
    one_round = game.match is MatchFormat.TOTAL and game.rounds == 1
    if order_of(game).one_throw and game.shut_wins is not ShutWins.NO:
        yield Sentence(
            N_("If someone shuts the box, everyone answers that throw first."),
            drawn=N_("If someone shuts the box, everyone answers that domino first."),
        )
        if game.shut_wins is ShutWins.MATCH:
            yield Sentence(N_("Then whoever has shut it wins the match; several share the win."))
        elif one_round:
            yield Sentence(N_("Then whoever has shut it wins; several share the win."))
        else:
            yield Sentence(N_("Then the round is over, and open tiles score as they stand."))
    elif game.win in (Win.LOWEST, Win.HIGHEST):
        if game.shut_wins is ShutWins.NO:
            yield Sentence(N_("A shut box only ends the player's turn: the round goes on."))
        elif game.shut_wins is ShutWins.MATCH:
            yield Sentence(N_("A player who shuts the box wins the match at once."))
        elif one_round:
            yield Sentence(N_("A player who shuts the box wins at once."))
        else:
            yield Sentence(
                N_(
                    "A player who shuts the box ends the round at once; the others score their tiles as they "
                    "stand."
                )
            )


@_of("shut_others")
def _shut_others(game: Profile) -> _Phrases:
    if not _has_rivals(game):
        return
    if isinstance(game.shut_others, str):
        yield Sentence(N_("If someone shuts the box, everyone else's score counts twice."))
    elif game.shut_others:
        text = N_("If someone shuts the box, everyone else scores {points} more.")
        yield Sentence(text, {"points": game.shut_others})


@_of("limit")
def _limit(game: Profile) -> _Phrases:
    if game.match is MatchFormat.TOTAL or game.counts_rounds_won or not _has_rivals(game):
        return
    least = worst_score(game) if game.highest_wins else best_score(game)
    # A match to a limit may last for the most rounds allowed.
    if least * LAST_ROUND < (game.limit or 0):
        text = N_("If nobody has won after {rounds} rounds, the best total wins.")
        yield Sentence(text, {"rounds": LAST_ROUND})


@_of("tie")
def _tie(game: Profile) -> _Phrases:
    if not _has_rivals(game):
        return
    if game.tie is Tie.CARRY and not game.is_race:
        if game.has_pool:
            yield Sentence(_TIES[Tie.CARRY])
        if game.counts_rounds_won:
            yield Sentence(
                N_("If players tie for a round, nobody wins it, and the next one is worth a point more.")
            )
            if game.limit is None:
                yield Sentence(N_("Players tied on points after the last round play on."))
        elif game.match is not MatchFormat.TOTAL:
            yield Sentence(_TIES[Tie.PLAY_OFF], {"most": MAX_TIE_ROUNDS})
    elif _adds_up(game) or game.match is not MatchFormat.TOTAL:
        loses = game.match in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT)
        text = _TIES[game.tie]
        if loses and game.tie is Tie.REPLAY_ALL:
            text = N_(
                "If players tie for the win, everybody who hasn't lost starts over with another round. After "
                "{most} such rounds the tied players share the win."
            )
        yield Sentence(text, {"most": MAX_TIE_ROUNDS})


_TIES = {
    Tie.PLAY_OFF: N_(
        "Players tied for the win play another round among themselves. After {most} such rounds they "
        "share the win."
    ),
    Tie.REPLAY_ALL: N_(
        "If players tie for the win, everybody starts over with another round. After {most} such rounds the "
        "tied players share the win."
    ),
    Tie.SHARE: N_("Players tied for the win share it."),
    Tie.CARRY: N_("If players tie, nobody wins: the pool stays, and everyone pays in again."),
}


@_of("stakes")
def _stakes(game: Profile) -> _Phrases:
    if game.stakes is Stakes.BANK:
        yield Aim(N_("The bank pays for good scores."))
    on_total, carries = game.match is MatchFormat.TOTAL, game.tie is Tie.CARRY
    is_double = game.stakes is Stakes.POOL_DOUBLE
    if game.is_solo:
        return
    if game.loser_pays and game.match is MatchFormat.TARGET_LOSES:
        text = N_("At the end of the match, the player who has reached the limit buys the drinks once.")
    elif game.loser_pays and game.match is MatchFormat.DROP_OUT:
        text = N_("At the end of the match, the first player who was out buys the drinks once.")
    elif game.has_pool and on_total and (carries or not _adds_up(game)):
        text = N_("Everybody pays one stake into the pool, and the winner takes the pool.")
        if is_double:
            text = N_(
                "Everybody pays one stake into the pool, and the winner takes the pool; a winner who has "
                "shut the box gets a second stake from each of the others."
            )
    elif game.has_pool and carries:
        text = N_(
            "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
            "takes the pool."
        )
        if is_double:
            text = N_(
                "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
                "takes the pool. A winner who has shut the box gets a second stake from each of the others."
            )
    else:
        text = STAKES[game.stakes]
    yield Sentence(text, {"stake": game.stake})


STAKES = {
    Stakes.NONE: N_("There are no stakes."),
    Stakes.POOL: N_(
        "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
        "takes the pool. In a match of several rounds, players tied for a round share its pool."
    ),
    Stakes.POOL_DOUBLE: N_(
        "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
        "takes the pool. In a match of several rounds, players tied for a round share its pool. A "
        "winner who has shut the box gets a second stake from each of the others."
    ),
    Stakes.LOSER_PAYS: N_(
        "After each round of the match, the loser with the worst score buys the drinks; if several are tied, "
        "they share."
    ),
    Stakes.LOSER_PAYS_MATCH: N_(
        "At the end of the match, the loser with the worst total buys the drinks once; if several are tied, "
        "they share."
    ),
    Stakes.BANK: N_(
        "Everybody plays against the bank alone: it takes {stake} and pays by the score. A "
        "player who gets back more wins."
    ),
}
"""Who owes what, in a match of several rounds without a limit."""


@_of("pays")
def _pays(game: Profile) -> _Phrases:
    if game.stakes is not Stakes.BANK:
        return
    head_starts = any(points_off(game, seat) for seat in range(len(game.handicap)))
    for mark, paid in game.pays if not game.highest_wins else reversed(game.pays):
        text = N_("For a score of {score} or less the bank pays {paid}.")
        if mark == best_score(game) and not head_starts and len(game.pays) > 1:
            text = N_("For a score of {score} the bank pays {paid}.")
        elif game.highest_wins:
            text = N_("For a score of {score} or more the bank pays {paid}.")
        yield Sentence(text, {"score": mark, "paid": paid})


@_of("captain")
def _captain(game: Profile) -> _Phrases:
    if game.captain:
        yield Sentence(
            N_("If the first player shuts the box in the very first turn of the match, they are Captain.")
        )
        yield Brief(N_("Shut in the first turn: Captain!"))


@_of("first")
def _first(game: Profile) -> _Phrases:
    if game.is_solo:
        return
    match game.first:
        case First.SEAT_1:
            return
        case First.ROTATES:
            yield Sentence(N_("Player 1 begins the first round, and the next player each further round."))
        case First.LOSER:
            yield Sentence(
                N_(
                    "Player 1 begins the first match, and the loser of a match begins the next one. Within a "
                    "match the next player begins each further round."
                )
            )
        case First.WINNER:
            yield Sentence(
                N_(
                    "Player 1 begins the first match. The winner of a round begins the next one, and the "
                    "winner of a match the next match."
                )
            )
        case First.ROLL:
            yield Sentence(
                N_("Everyone throws once; the highest begins."),
                drawn=N_("Everyone draws once; the highest begins."),
            )


@_of("teams")
def _teams(game: Profile) -> _Phrases:
    if game.teams is not None:
        text = N_(
            "The seats belong to {teams} teams in rotation, if the players divide evenly. A "
            "team's scores are added up, and its players win or lose together."
        )
        yield Sentence(text, {"teams": game.teams})


@_of("handicap")
def _handicap(game: Profile) -> _Phrases:
    for seat in range(len(game.handicap)):
        points, shut = points_off(game, seat), to_numbers(tiles_off(game, seat))
        if points:
            text = plural(
                "Player {player} has a head start of 1 point off the total.",
                "Player {player} has a head start of {points} points off the total.",
            )
            if game.highest_wins:
                text = plural(
                    "Player {player} has a head start of 1 point.",
                    "Player {player} has a head start of {points} points.",
                )
            yield Sentence(text, {"player": seat + 1, "points": points})
        if shut:
            text = N_("Player {player} has a head start: tiles {tiles} start every turn shut.")
            if len(shut) == 1:
                text = N_("Player {player} has a head start: tile {tiles} starts every turn shut.")
            yield Sentence(text, {"player": seat + 1, "tiles": shut})


# Everything together.

_SPAN = N_("{first} to {last}")
_ALL = N_("{some} and {last}")
_EITHER = N_("{some} or {last}")

# Lists of which only one counts at a time.
_ALTERNATIVES = ("boxes", "totals", "operations", "shut")


def explain(profile: Profile, translate: Callable[[str], str] = str) -> tuple[str, ...]:
    """The rules of a profile, a sentence or two for each key that matters.

    What the traditional game doesn't have comes first.

    Args:
        profile: the game, on the box in play.
        translate: translates an English text.
    """

    def shown(key: str, value: object) -> object:
        if isinstance(value, str):
            return translate(value)
        if not isinstance(value, Sequence):
            return value
        items = [translate(_OPERATIONS[each]) if isinstance(each, Operation) else each for each in value]
        return _join(items, translate(_EITHER if key in _ALTERNATIVES else _ALL), translate(_SPAN))

    def said(sentence: Sentence) -> str:
        text = sentence.drawn if profile.draw is Draw.DOMINOES and sentence.drawn else sentence.text
        return fill_in(text, translate, {name: shown(name, value) for name, value in sentence.values.items()})

    return tuple(said(sentence) for _, sentence in _sentences(profile))


def _join(items: Sequence[int | str], joined: str, span: str) -> str:
    first, end = items[0], items[-1]
    if len(items) > 2 and isinstance(first, int) and isinstance(end, int) and end - first == len(items) - 1:
        return span.format(first=first, last=end)
    *some, last = map(str, items)
    return joined.format(some=", ".join(some), last=last) if some else last


def shared_rules(profile: Profile) -> tuple[int, ...]:
    """The indices of the rules that the traditional game has, too, the most telling first."""
    places = {key: at for at, (key, sentence) in enumerate(_sentences(profile)) if sentence in _traditional()}
    return tuple(places[key] for key in _MOST_TELLING if key in places)


_MOST_TELLING = (
    "win",
    "move",
    "score",
    "shut_wins",
    "blocked",
    "one_die",
    "dice",
    "tiles",
    "rounds",
    "start_open",
    "turns",
    "tie",
    "stakes",
    "boxes",
)


@cache
def _traditional() -> tuple[Sentence, ...]:
    game = Profile(
        "traditional",
        boxes=(9, 10, 12),
        one_die=OneDie.OPTIONAL_HIGH,
        shut_wins=ShutWins.MATCH,
        stakes=Stakes.POOL,
    )
    return tuple(sentence for _, sentence in _in_order(game))


def _sentences(profile: Profile) -> list[tuple[str, Sentence]]:
    """All sentences, each with its key; those that the traditional game has, too, come last."""
    return sorted(_in_order(profile), key=lambda phrase: phrase[1] in _traditional())


def _in_order(profile: Profile) -> Iterator[tuple[str, Sentence]]:
    for key, words in _WORDS.items():
        yield from ((key, phrase) for phrase in words(profile) if isinstance(phrase, Sentence))


def summary(profile: Profile, translate: Callable[[str], str] = str) -> str:
    """The special rule of a profile, if any, and how it is won: two short sentences at most."""
    special = next(_briefs(profile, _SURPRISING), None)
    aim = next(_aims(profile, ("turns", "stakes", "match", "win")))
    return " ".join(fill_in(phrase.text, translate, phrase.values) for phrase in (special, aim) if phrase)


def distinction(profile: Profile, translate: Callable[[str], str] = str) -> str:
    """The sentence that distinguishes a game from the traditional one; for that one, its aim."""
    phrase = next(_distinctions(profile))
    return fill_in(phrase.text, translate, phrase.values)


_SURPRISING = (
    "draw",
    "first_move_must_include",
    "turns",
    "rows",
    "move",
    "operations",
    "dice",
    "start_open",
    "ends_turn_on",
    "min_tiles",
    "max_tiles",
    "doubles",
    "strikes",
    "blocked",
    "score",
    "add_throw",
    "captain",
    "rounds",
    "tiles",
    "shut_wins",
)
"""Keys whose rules a player of the traditional game wouldn't expect, the most surprising first."""


def _distinctions(profile: Profile) -> Iterator[Brief | Aim]:
    """The differences a player of the traditional game wouldn't expect, the most telling first."""
    if profile.back is Back.REVERSED:
        yield from _briefs(profile, ("rows",))
    yield from _aims(profile, ("stakes", "match"))
    if profile.score in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        yield from _briefs(profile, ("score",))
    yield from _briefs(profile, (key for key in _SURPRISING if key != "shut_wins"))
    if profile.win is not Win.LOWEST:
        yield from _aims(profile, ("win",))
    if profile.shut_wins is ShutWins.NO:
        yield Brief(N_("A shut box ends only your turn."))
    if profile.stakes is Stakes.POOL_DOUBLE:
        yield Brief(N_("A shut box wins double stakes."))
    yield from _briefs(profile, ("shut_wins",))
    yield from _aims(profile, ("win",))


def _briefs(profile: Profile, keys: Iterable[str]) -> Iterator[Brief]:
    for key in keys:
        yield from (phrase for phrase in _WORDS[key](profile) if isinstance(phrase, Brief))


def _aims(profile: Profile, keys: Iterable[str]) -> Iterator[Aim]:
    for key in keys:
        yield from (phrase for phrase in _WORDS[key](profile) if isinstance(phrase, Aim))
