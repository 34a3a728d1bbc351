"""The rules of a profile in sentences, made from its keys.

The sentences are data: `_facts` picks for a profile which ones apply, so that a rule and its words
cannot drift apart. Other languages have them in their catalogues, like every text of the box.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from shutthebox.rules.moves import HIGH
from shutthebox.rules.profile import Draw, MatchFormat, OneDie, Profile, ShutWins, Win
from shutthebox.rules.score import lost_score
from shutthebox.rules.tiles import to_numbers

_Value: TypeAlias = int | Sequence[int]
_Fact: TypeAlias = tuple[str, dict[str, _Value]]


def N_(text: str) -> str:  # noqa: N802  (the name that catalogues' tools look for)
    """Marks a text for the catalogues; it is translated where it is shown."""
    return text


SENTENCES: dict[str, str] = {
    "tiles": N_("The box has {count} tiles, {tiles}."),
    "tiles.one": N_("The box has one tile, the {tiles}."),
    "boxes": N_("The same rules are played on boxes with {boxes} tiles."),
    "start_open.all": N_("A turn starts with every tile open."),
    "start_open": N_("A turn starts with only tiles {tiles} open; the others are shut and stay shut."),
    "start_open.one": N_("A turn starts with only tile {tiles} open; the others are shut and stay shut."),
    "dice": N_("A throw is {dice} dice with {sides} sides each."),
    "dice.one": N_("A throw is one die with {sides} sides."),
    "draw=dominoes": N_(
        "There are no dice: a throw is a domino drawn from a bag of 21, 1-1 to 6-6. Drawn dominoes stay out; "
        "the bag is full again for every turn, and when it has run empty."
    ),
    "one_die=never": N_("All {dice} dice are always thrown."),
    "one_die=never.two": N_("Both dice are always thrown."),
    "one_die=optional-high": N_("When no tile above 6 is open, the player may throw one die instead."),
    "one_die=forced-high": N_("When no tile above 6 is open, one die must be thrown."),
    "one_die=optional-sum": N_(
        "When the open tiles add up to 6 or less, the player may throw one die instead."
    ),
    "one_die=forced-sum": N_("When the open tiles add up to 6 or less, one die must be thrown."),
    "one_die=only-one": N_("When tile 1 is the only one open, one die must be thrown."),
    "move=set": N_("For a throw the player shuts any set of open tiles that adds up to its total."),
    "move=single": N_(
        "For a throw the player shuts exactly one open tile: the total, or what one of the dice shows."
    ),
    "move=exact": N_(
        "The whole throw must be used: the player shuts the tile of the total, or one tile for each die if "
        "all show different numbers."
    ),
    "move=faces": N_(
        "For a throw the player shuts either the tile of the total, or the tiles that the dice show: all of "
        "these that are still open."
    ),
    "move=faces-free": N_(
        "For a throw the player shuts either the tile of the total, or any of the tiles that the dice show."
    ),
    "max_tiles": N_("At most {most} tiles are shut in one move."),
    "max_tiles.one": N_("Only one tile is shut in one move."),
    "difference": N_("The two dice may also be subtracted, the smaller from the larger."),
    "first_move_must_include": N_(
        "The first move of a turn must shut tile {tile}. A first throw that cannot do so loses the turn, "
        "which then scores {points}."
    ),
    "ends_turn_on": N_("A total of {totals} ends the turn at once, even if tiles could be shut."),
    "blocked=ends-turn": N_("A throw for which nothing can be shut ends the turn."),
    "blocked=passes": N_(
        "A throw for which nothing can be shut does nothing: the player goes on at the next throw."
    ),
    "blocked=opens-one": N_(
        "For a throw for which nothing can be shut, the player opens one shut tile and goes on."
    ),
    "turns=whole": N_("Each player plays a whole turn before the next one begins."),
    "turns=alternate": N_(
        "The players throw once each in rotation, and everybody has a row of tiles of their own."
    ),
    "score=sum": N_("A turn scores the sum of the tiles left open."),
    "score=count": N_("A turn scores one point for each tile left open."),
    "score=digits": N_(
        "A turn scores the open tiles read as one number from left to right: 1, 4 and 7 are 147."
    ),
    "score=digits-reversed": N_(
        "A turn scores the open tiles read as one number from right to left: 2, 3 and 9 are 932."
    ),
    "score=shut-sum": N_("A turn scores the sum of the tiles that the player has shut."),
    "score=throws": N_("A turn scores the number of throws that it took."),
    "win=lowest": N_("The lowest score wins."),
    "win=highest": N_("The highest score wins."),
    "win=first-to-shut": N_("The first to shut the box wins; if nobody does, the lowest score."),
    "win=first-to-shut.sure": N_("The first to shut the box wins."),
    "shut_wins=match": N_("Whoever shuts the box wins the match at once."),
    "shut_wins=round": N_(
        "Whoever shuts the box ends the round at once; the others score their tiles as they stand."
    ),
    "shut_wins=round.only": N_("Whoever shuts the box wins at once."),
    "shut_wins=no": N_("A shut box ends only the player's turn: the round is played to its end."),
    "rounds": N_(
        "A match has {rounds} rounds, unless the players agree on another number. Their scores are added up."
    ),
    "rounds.one": N_("A match is one round, one turn for every player."),
    "match=target-loses": N_(
        "Scores are added up round after round. The match ends with the turn in which somebody reaches "
        "{limit} points, or another limit that the players have agreed on: that player has lost, and the "
        "lowest total of the others wins."
    ),
    "match=target-wins": N_(
        "Scores are added up round after round. When somebody has {limit} points, or as many as the players "
        "have agreed on, at the end of a round, the match is over and the highest total wins."
    ),
    "match=drop-out": N_(
        "Scores are added up round after round. A player who has {limit} points, or as many as the players "
        "have agreed on, at the end of a round is out, and the last one left wins. If the last ones go out "
        "together, the lowest of their totals wins."
    ),
    "tie=play-off": N_("Players tied for the win play another round among themselves."),
    "tie=replay-all": N_("If players tie for the win, everybody starts over with another round."),
    "tie=share": N_("Players tied for the win share it."),
    "stakes=none": N_("Nothing is staked."),
    "stakes=pool": N_("Everybody pays one stake into the pool, and the winner takes it."),
    "stakes=pool-double": N_(
        "Everybody pays one stake into the pool, and the winner takes it; a winner who has shut the box gets "
        "a second stake from each of the others."
    ),
    "stakes=loser-pays": N_("The loser, with the worst score, buys the round."),
    "captain": N_("Who wins by shutting the box in the very first turn of the match is Captain."),
    "move=set.dominoes": N_("For a domino the player shuts any set of open tiles that adds up to its total."),
    "move=single.dominoes": N_(
        "For a domino the player shuts exactly one open tile: the total, or what one of its ends shows."
    ),
    "move=exact.dominoes": N_(
        "The whole domino must be used: the player shuts the tile of the total, or one tile for each end if "
        "they show different numbers."
    ),
    "move=faces.dominoes": N_(
        "For a domino the player shuts either the tile of the total, or the tiles that its ends show: all of "
        "these that are still open."
    ),
    "move=faces-free.dominoes": N_(
        "For a domino the player shuts either the tile of the total, or one or both of the tiles that its "
        "ends show."
    ),
    "max_tiles.dominoes": N_("At most {most} tiles are shut for one domino."),
    "max_tiles.one.dominoes": N_("Only one tile is shut for one domino."),
    "difference.dominoes": N_("The two ends may also be subtracted, the smaller from the larger."),
    "first_move_must_include.dominoes": N_(
        "The first move of a turn must shut tile {tile}. A first domino that cannot do so loses the turn, "
        "which then scores {points}."
    ),
    "blocked=ends-turn.dominoes": N_("A domino for which nothing can be shut ends the turn."),
    "blocked=passes.dominoes": N_(
        "A domino for which nothing can be shut does nothing: the player goes on at the next domino."
    ),
    "blocked=opens-one.dominoes": N_(
        "For a domino for which nothing can be shut, the player opens one shut tile and goes on."
    ),
    "turns=alternate.dominoes": N_(
        "The players draw one domino each in rotation, and everybody has a row of tiles of their own."
    ),
    "score=throws.dominoes": N_("A turn scores the number of dominoes that it took."),
}
"""The rules in English, the language of the source; the catalogues have them under these texts."""

_SPAN = N_("{first} to {last}")
_ALL = N_("{some} and {last}")
_EITHER = N_("{some} or {last}")

# Lists of which only one counts at a time.
_ALTERNATIVES = ("boxes", "totals")


def explain(profile: Profile, translate: Callable[[str], str] = str) -> tuple[str, ...]:
    """The rules of a profile, one sentence or two for each key that means something in it.

    Args:
        profile: the variant, on the box that is played.
        translate: gives an English text in another language.
    """

    def shown(key: str, value: _Value) -> str:
        if isinstance(value, int):
            return str(value)
        return _listed(value, translate(_EITHER if key in _ALTERNATIVES else _ALL), translate(_SPAN))

    return tuple(
        translate(SENTENCES[key]).format(**{name: shown(name, value) for name, value in values.items()})
        for key, values in _facts(profile)
    )


def _listed(numbers: Sequence[int], joined: str, span: str) -> str:
    if len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return span.format(first=numbers[0], last=numbers[-1])
    *some, last = (str(number) for number in numbers)
    return joined.format(some=", ".join(some), last=last) if some else last


def _facts(profile: Profile) -> Iterator[_Fact]:
    facts = (*_facts_of_box(profile), *_facts_of_turn(profile), *_facts_of_match(profile))
    for key, values in facts:
        drawn = f"{key}.dominoes"
        yield drawn if profile.draw is Draw.DOMINOES and drawn in SENTENCES else key, values


def _facts_of_box(profile: Profile) -> Iterator[_Fact]:
    count = len(profile.tiles)
    yield _one("tiles", count), {"count": count, "tiles": profile.tiles}
    if len(profile.allowed_boxes) > 1:
        yield "boxes", {"boxes": profile.allowed_boxes}
    if profile.starting == profile.all_tiles:
        yield "start_open.all", {}
    else:
        opened = to_numbers(profile.starting)
        yield _one("start_open", len(opened)), {"tiles": opened}


def _facts_of_turn(profile: Profile) -> Iterator[_Fact]:
    if profile.draw is Draw.DOMINOES:
        yield f"draw={profile.draw}", {}
    else:
        yield _one("dice", profile.dice), {"dice": profile.dice, "sides": profile.sides}
        if profile.dice > 1:
            yield from _facts_of_one_die(profile)
    yield f"move={profile.move}", {}
    if profile.difference:
        yield "difference", {}
    if profile.max_tiles is not None:
        yield _one("max_tiles", profile.max_tiles), {"most": profile.max_tiles}
    if profile.first_move_must_include is not None:
        values: dict[str, _Value] = {"tile": profile.first_move_must_include, "points": lost_score(profile)}
        yield "first_move_must_include", values
    if profile.ends_turn_on:
        yield "ends_turn_on", {"totals": tuple(sorted(profile.ends_turn_on))}
    yield f"blocked={profile.blocked}", {}
    yield f"turns={profile.turns}", {}
    if not profile.is_race:
        yield f"score={profile.score}", {}


def _facts_of_one_die(profile: Profile) -> Iterator[_Fact]:
    # No tile of a turn may ever be low enough for one die to be thrown.
    tiles = to_numbers(profile.starting)
    ever = 1 in tiles if profile.one_die is OneDie.ONLY_ONE else tiles[0] <= HIGH
    if profile.one_die is not OneDie.NEVER and ever:
        yield f"one_die={profile.one_die}", {}
    else:
        yield "one_die=never" + (".two" if profile.dice == 2 else ""), {"dice": profile.dice}


def _facts_of_match(profile: Profile) -> Iterator[_Fact]:
    on_total = profile.match is MatchFormat.TOTAL
    if on_total and not profile.is_race:
        yield _one("rounds", profile.rounds), {"rounds": profile.rounds}
    elif not on_total:
        yield f"match={profile.match}", {"limit": profile.limit or 0}
    if on_total and not profile.is_race:
        yield f"win={profile.win}", {}
    elif on_total:
        yield "win=first-to-shut.sure", {}
    only = ".only" if profile.shut_wins is ShutWins.ROUND and on_total and profile.rounds == 1 else ""
    if profile.win is not Win.FIRST_TO_SHUT:
        yield f"shut_wins={profile.shut_wins}{only}", {}
    if not profile.is_race:
        yield f"tie={profile.tie}", {}
    yield f"stakes={profile.stakes}", {}
    if profile.captain:
        yield "captain", {}


def _one(key: str, count: int) -> str:
    return f"{key}.one" if count == 1 else key
