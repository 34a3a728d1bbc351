"""The rules of a profile in sentences, made from its keys.

The sentences are data: `_rules` picks those that apply to a profile, so that rules and words can't drift
apart. The catalogues have them in other languages, like every text of the box.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from shutthebox.rules.endings import LAST_ROUND, MAX_TIE_ROUNDS
from shutthebox.rules.handicap import points_off, tiles_off
from shutthebox.rules.moves import ends_turn, is_one_die_ever_allowed
from shutthebox.rules.orders import ORDERS, order_of
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

_Value: TypeAlias = int | str | Sequence[int] | Sequence[Operation]
_Rule: TypeAlias = tuple[str, Mapping[str, _Value]]


SENTENCES: dict[str, str] = {
    "tiles": plural("The box has one tile, the {tiles}.", "The box has {count} tiles, {tiles}."),
    "rows": N_(
        "There are two rows of the same tiles, one behind the other. A tile of the back row can be shut once "
        "the one in front of it, with the same number, has been shut in an earlier move."
    ),
    "rows=same.through": N_(
        "There are two rows of the same tiles, one behind the other. A tile at the back can be shut once the "
        "one in front of it is, even in the same move."
    ),
    "rows=reversed": N_(
        "There are two rows: {first} to {last}, and behind it {last} to {first}. A tile at the back can be "
        "shut once the one in front of it has been shut in an earlier move."
    ),
    "rows=reversed.through": N_(
        "There are two rows: {first} to {last}, and behind it {last} to {first}. A tile at the back can be "
        "shut once the one in front of it is, even in the same move."
    ),
    "row_points": N_("A tile in front counts ×{front}, one at the back ×{behind}."),
    "row_points.double": N_("A tile in front counts double."),
    "boxes": N_("The same rules are played on boxes with {boxes} tiles."),
    "start_open.all": N_("A turn starts with every tile open."),
    "start_open": N_("A turn starts with only tiles {tiles} open; the others are shut and stay shut."),
    "start_open.one": N_("A turn starts with only tile {tiles} open; the others are shut and stay shut."),
    "start_open.all.round": N_("A round starts with every tile open."),
    "start_open.round": N_("A round starts with only tiles {tiles} open; the others are shut and stay shut."),
    "start_open.one.round": N_(
        "A round starts with only tile {tiles} open; the others are shut and stay shut."
    ),
    "dice": plural(
        "A throw is one die with {sides} sides.", "A throw is {dice} dice with {sides} sides each."
    ),
    "draw=dominoes": N_(
        "There are no dice: a throw is a domino drawn from a bag of {bag}. Drawn dominoes stay out; "
        "the bag is full again for every turn, and when it has run empty."
    ),
    "draw=dominoes.rotation": N_(
        "There are no dice: a throw is a domino drawn from one bag for all, of {bag}. Drawn "
        "dominoes stay out; the bag is full again for every round, and when it has run empty."
    ),
    "blanks": N_("A blank counts 0. After the double blank the player draws again."),
    "blanks.together": N_("A blank counts 0. The double blank shuts nothing and ends no turn."),
    "blanks.together.own": N_(
        "A blank counts 0. The double blank shuts nothing and ends no turn; a player who draws it alone "
        "draws again."
    ),
    "blanks.end": N_("A blank counts 0."),
    "one_die=never": plural("The one die is always thrown.", "All {dice} dice are always thrown."),
    "one_die=never.two": N_("Both dice are always thrown."),
    "one_die=optional-high": N_("When no tile above {at} is open, the player may throw one die instead."),
    "one_die=optional-high.always": N_("The player may throw one die at any time."),
    "one_die=forced-high": N_("When no tile above {at} is open, one die must be thrown."),
    "one_die=forced-high.always": N_("Only one die is ever thrown."),
    "one_die=optional-sum": N_(
        "When the open tiles add up to {at} or less, the player may throw one die instead."
    ),
    "one_die=forced-sum": N_("When the open tiles add up to {at} or less, one die must be thrown."),
    "one_die=optional-tiles": plural(
        "When only one tile is open, the player may throw one die instead.",
        "When at most {at} tiles are open, the player may throw one die instead.",
    ),
    "one_die=forced-tiles": plural(
        "When only one tile is open, one die must be thrown.",
        "When at most {at} tiles are open, one die must be thrown.",
    ),
    "one_die=optional-front": N_(
        "When the foremost tiles add up to {at} or less, the player may throw one die instead."
    ),
    "one_die=forced-front": N_("When the foremost tiles add up to {at} or less, one die must be thrown."),
    "one_die=only-one": N_("When tile 1 is the only one open, one die must be thrown."),
    "one_die=only-one.rows": N_("When no tiles but 1s are open, one die must be thrown."),
    "one_die.together": N_("One die is thrown only if the rule allows it for everyone still in."),
    "move=set": N_("After a throw, the player shuts any open tiles that add up to the total."),
    "move=single": N_(
        "After a throw, the player shuts one open tile: the total, or the number on one of the dice."
    ),
    "move=exact": N_(
        "The whole throw must be used: the player shuts the tile of the total, or one tile for each die if "
        "all show different numbers."
    ),
    "move=faces": N_(
        "After a throw, the player shuts either the tile of the total, or all tiles the dice "
        "show that are still open."
    ),
    "move=faces-free": N_(
        "After a throw, the player shuts either the tile of the total, or any of the tiles the dice show."
    ),
    "move=knipsen": N_(
        "After a throw, the player shuts the tile of the total, the tiles the dice show, or "
        "only some of these: after 2 and 6, the 2, the 6 and the 8, or one or two of them."
    ),
    "min_tiles": plural(
        "At least one tile is shut in one move.", "At least {least} tiles are shut in one move."
    ),
    "max_tiles": plural("Only one tile is shut in one move.", "At most {most} tiles are shut in one move."),
    "difference": N_("The two dice may also be subtracted, the smaller from the larger."),
    "operations": N_("The dice may be {operations}."),
    "operations.one": N_("The dice are {operations}."),
    "operations.signs": N_("They may be subtracted in any order that leaves more than 0."),
    "operations.quotient": N_(
        "They are divided only if that leaves no remainder, the larger by the smaller."
    ),
    "first_move_must_include": N_(
        "The first move of a turn must shut tile {tile}. A first throw that can't do so loses the turn, "
        "which then scores {points}."
    ),
    "ends_turn_on": N_("A total of {totals} ends the turn at once, even if tiles could be shut."),
    "ends_turn_on.sum": N_("A sum of {totals} ends the turn at once, even if tiles could be shut."),
    "blocked=ends-turn": N_("If a throw can't shut anything, the turn ends."),
    "strikes": N_("The {nth} throw without a move ends the turn."),
    "doubles=ends-turn": N_("A double ends the turn."),
    "doubles=doubled": N_("A double counts twice: 5 and 5 are 20."),
    "doubles=doubled.many": N_("A double counts twice."),
    "doubles.many": N_("A double is a throw whose dice are all alike."),
    "blocked=passes": N_(
        "If a throw can't shut anything, nothing happens: the player goes on with the next throw."
    ),
    "blocked=opens-one": N_("If a throw can't shut anything, the player opens one shut tile and goes on."),
    "blocked.last": N_("From throw {throws} on, a throw without a move ends the turn."),
    "blocked=loses": N_("If a throw can't shut anything, the player is out."),
    "insurance": N_(
        "Every double earns an insurance marker. If a throw can't shut anything, a marker is "
        "used up instead, and the player throws again."
    ),
    "insurance.together": N_(
        "Every double earns an insurance marker. If a throw can't shut anything, a marker is used up instead."
    ),
    "turn_seconds": plural(
        "A turn may last one second from its first throw. Then it ends as if blocked.",
        "A turn may last {seconds} seconds from its first throw. Then it ends as if blocked.",
    ),
    "turn_seconds.throw": plural(
        "Players have one second for each throw. Then their turn ends as if blocked.",
        "Players have {seconds} seconds for each throw. Then their turn ends as if blocked.",
    ),
    "turn_seconds.worst": N_("A turn that runs out of time gets the worst score there is."),
    "score=sum": N_("A turn scores the sum of the tiles left open."),
    "score=count": N_("A turn scores one point for each tile left open."),
    "score=digits": N_(
        "A turn scores the open tiles read as one number from left to right: 1, 4 and 7 are 147."
    ),
    "score=digits-reversed": N_(
        "A turn scores the open tiles read as one number from right to left: 2, 3 and 9 are 932."
    ),
    "score=shut-sum": N_("A turn scores the sum of the tiles the player has shut."),
    "score=throws": N_("A turn scores the number of throws it took."),
    "win=lowest": N_("The lowest score wins."),
    "win=highest": N_("The highest score wins."),
    "win=first-to-shut": N_("The first to shut the box wins; if nobody does, the lowest score."),
    "win=first-to-shut.sure": N_("The first to shut the box wins."),
    "win=last-in": N_("The last player left wins, or whoever shuts the last tile."),
    "win=lowest.total": N_("The lower a total is, the better."),
    "win=highest.total": N_("The higher a total is, the better."),
    "shut_wins=match": N_("A player who shuts the box wins the match at once."),
    "shut_wins=round": N_(
        "A player who shuts the box ends the round at once; the others score their tiles as they stand."
    ),
    "shut_wins=round.only": N_("A player who shuts the box wins at once."),
    "shut.together": N_("If someone shuts the box, everyone answers that throw first."),
    "shut_wins=match.together": N_("Then whoever has shut it wins the match; several share the win."),
    "shut_wins=round.together": N_("Then the round is over, and open tiles score as they stand."),
    "shut_wins=round.only.together": N_("Then whoever has shut it wins; several share the win."),
    "shut_wins=no": N_("A shut box only ends the player's turn: the round goes on."),
    "shut_others": N_("If someone shuts the box, everyone else scores {points} more."),
    "shut_others.doubled": N_("If someone shuts the box, everyone else's score counts twice."),
    "rounds": plural(
        "A match is one round, one turn for every player.",
        "A match has {rounds} rounds, unless the players agree on another number. Their scores are added up.",
    ),
    "rounds.alone": plural(
        "A match is one turn.", "A match has {rounds} rounds, and the scores are added up."
    ),
    "match=ladder": N_(
        "The match is for one player. Any total wins, and the box remembers it as the one to beat next time."
    ),
    "match=ladder.limit": N_(
        "The match is for one player, who wins with a better total than {limit}. The box remembers "
        "that total as the one to beat next time; once it's the best possible, reaching it again "
        "wins."
    ),
    "match=target-loses": plural(
        "Scores are added up round after round. The match ends with the turn in which somebody gets a point, "
        "or reaches another limit that the players have agreed on: that player has lost, and the lowest "
        "total of the others wins.",
        "Scores are added up round after round. The match ends with the turn in which somebody reaches "
        "{limit} points, or another limit that the players have agreed on: that player has lost, and the "
        "lowest total of the others wins.",
    ),
    "match=target-loses.together": N_(
        "If one throw takes several players to the limit, only the worst total of them loses; players level "
        "on it lose together."
    ),
    "match=target-wins": plural(
        "Scores are added up round after round. When somebody has a point, or as many as the players have "
        "agreed on, at the end of a round, the match is over and the highest total wins.",
        "Scores are added up round after round. When somebody has {limit} points, or as many as the players "
        "have agreed on, at the end of a round, the match is over and the highest total wins.",
    ),
    "match=drop-out": plural(
        "Scores are added up round after round. A player who has a point, or as many as the players have "
        "agreed on, at the end of a round is out, and the last one left wins. If the last ones go out "
        "together, the lowest of their totals wins.",
        "Scores are added up round after round. A player who has {limit} points, or as many as the players "
        "have agreed on, at the end of a round is out, and the last one left wins. If the last ones go out "
        "together, the lowest of their totals wins.",
    ),
    "match=rounds-won": plural(
        "The best score of the round wins a point, and so the match.",
        "The best score of a round wins a point; after {rounds} rounds the most points win.",
    ),
    "match=rounds-won.limit": plural(
        "The best score of a round wins a point; the first player with a point wins.",
        "The best score of a round wins a point; the first player with {limit} points wins.",
    ),
    "match=rounds-won.first": plural(
        "The winner of the round gets a point, and so wins the match.",
        "The winner of a round gets a point; after {rounds} rounds the most points win.",
    ),
    "match=rounds-won.limit.first": plural(
        "The winner of a round gets a point; the first player with a point wins.",
        "The winner of a round gets a point; the first player with {limit} points wins.",
    ),
    "win=lowest.round": N_("The lowest score is the best; players tied for it win a point each."),
    "win=lowest.round.alone": N_("The lowest score is the best."),
    "win=highest.round": N_("The highest score is the best; players tied for it win a point each."),
    "win=highest.round.alone": N_("The highest score is the best."),
    "win=first-to-shut.round": N_(
        "The first to shut the box wins the round; if nobody does, the lowest score does."
    ),
    "win=first-to-shut.round.last": N_("The player who moves the last tile wins the round."),
    "win=first-to-shut.round.sure": N_("The first to shut the box wins the round."),
    "match.last": plural(
        "If nobody has won after one round, the best total wins.",
        "If nobody has won after {rounds} rounds, the best total wins.",
    ),
    "tie=play-off": plural(
        "Players tied for the win play another round among themselves. After one such round they "
        "share the win.",
        "Players tied for the win play another round among themselves. After {most} such rounds they "
        "share the win.",
    ),
    "tie=replay-all": plural(
        "If players tie for the win, everybody starts over with another round. After one such round the tied "
        "players share the win.",
        "If players tie for the win, everybody starts over with another round. After {most} such rounds the "
        "tied players share the win.",
    ),
    "tie=replay-all.left": plural(
        "If players tie for the win, everybody who hasn't lost starts over with another round. After one "
        "such round the tied players share the win.",
        "If players tie for the win, everybody who hasn't lost starts over with another round. After {most} "
        "such rounds the tied players share the win.",
    ),
    "tie=share": N_("Players tied for the win share it."),
    "tie=carry": N_("If players tie, nobody wins: the pool stays, and everyone pays in again."),
    "tie=carry.point": N_(
        "If players tie for a round, nobody wins it, and the next one is worth a point more."
    ),
    "tie=carry.last": N_("Players tied on points after the last round play on."),
    "stakes=none": N_("There are no stakes."),
    "stakes=pool.only": N_("Everybody pays one stake into the pool, and the winner takes the pool."),
    "stakes=pool-double.only": N_(
        "Everybody pays one stake into the pool, and the winner takes the pool; a winner who has "
        "shut the box gets a second stake from each of the others."
    ),
    "stakes=pool": N_(
        "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
        "takes the pool. In a match of several rounds, players tied for a round share its pool."
    ),
    "stakes=pool-double": N_(
        "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
        "takes the pool. In a match of several rounds, players tied for a round share its pool. A "
        "winner who has shut the box gets a second stake from each of the others."
    ),
    "stakes=pool.carry": N_(
        "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
        "takes the pool."
    ),
    "stakes=pool-double.carry": N_(
        "In each round, everybody who plays pays one stake into a pool, and the winner of the round "
        "takes the pool. A winner who has shut the box gets a second stake from each of the others."
    ),
    "stakes=loser-pays": N_(
        "After each round of the match, the loser with the worst score buys the drinks; if several are tied, "
        "they share."
    ),
    "stakes=loser-pays.match": N_(
        "At the end of the match, the loser with the worst total buys the drinks once; if several are tied, "
        "they share."
    ),
    "stakes=loser-pays.target-loses": N_(
        "At the end of the match, the player who has reached the limit buys the drinks once."
    ),
    "stakes=loser-pays.drop-out": N_(
        "At the end of the match, the first player who was out buys the drinks once."
    ),
    "stakes=bank": N_(
        "Everybody plays against the bank alone: it takes {stake} and pays by the score. A "
        "player who gets back more wins."
    ),
    "pays.best": N_("For a score of {score} the bank pays {paid}."),
    "pays.lowest": N_("For a score of {score} or less the bank pays {paid}."),
    "pays.highest": N_("For a score of {score} or more the bank pays {paid}."),
    "teams": plural(
        "All seats belong to one team. Its scores are added up, and its players win or lose together.",
        "The seats belong to {teams} teams in rotation, if the players divide evenly. A "
        "team's scores are added up, and its players win or lose together.",
    ),
    "handicap.less": plural(
        "Player {player} has a head start of 1 point off the total.",
        "Player {player} has a head start of {points} points off the total.",
    ),
    "handicap.more": plural(
        "Player {player} has a head start of 1 point.",
        "Player {player} has a head start of {points} points.",
    ),
    "handicap.tiles": N_("Player {player} has a head start: tiles {tiles} start every turn shut."),
    "handicap.tiles.one": N_("Player {player} has a head start: tile {tiles} starts every turn shut."),
    "captain": N_("If the first player shuts the box in the very first turn of the match, they are Captain."),
    "first=rotates": N_("Player 1 begins the first round, and the next player each further round."),
    "first=winner": N_(
        "Player 1 begins the first match. The winner of a round begins the next one, and the winner of a "
        "match the next match."
    ),
    "first=roll": N_("Everyone throws once; the highest begins."),
    "first=loser": N_(
        "Player 1 begins the first match, and the loser of a match begins the next one. Within a match the "
        "next player begins each further round."
    ),
    "first=roll.dominoes": N_("Everyone draws once; the highest begins."),
    "move=set.dominoes": N_(
        "After drawing, the player shuts any open tiles that add up to the domino's total."
    ),
    "move=single.dominoes": N_(
        "After drawing, the player shuts one open tile: the total, or the number on one end of the domino."
    ),
    "move=exact.dominoes": N_(
        "The whole domino must be used: the player shuts the tile of the total, or one tile for each end if "
        "they show different numbers."
    ),
    "move=faces.dominoes": N_(
        "After drawing, the player shuts either the tile of the total, or all tiles the "
        "domino's ends show that are still open."
    ),
    "move=faces-free.dominoes": N_(
        "After drawing, the player shuts either the tile of the total, or one or both of the "
        "tiles the domino's ends show."
    ),
    "move=knipsen.dominoes": N_(
        "After drawing, the player shuts the tile of the total, the tiles the domino's ends "
        "show, or only some of these: with the 2-6, the 2, the 6 and the 8, or one or two of "
        "them."
    ),
    "max_tiles.dominoes": plural(
        "Only one tile is shut for one domino.", "At most {most} tiles are shut for one domino."
    ),
    "operations.dominoes": N_("The two ends may be {operations}."),
    "operations.one.dominoes": N_("The two ends are {operations}."),
    "difference.dominoes": N_("The two ends may also be subtracted, the smaller from the larger."),
    "first_move_must_include.dominoes": N_(
        "The first move of a turn must shut tile {tile}. A first domino that can't do so loses the turn, "
        "which then scores {points}."
    ),
    "blocked=ends-turn.dominoes": N_("If a domino can't shut anything, the turn ends."),
    "strikes.dominoes": N_("The {nth} domino without a move ends the turn."),
    "blocked=passes.dominoes": N_(
        "If a domino can't shut anything, nothing happens: the player goes on with the next domino."
    ),
    "blocked=opens-one.dominoes": N_(
        "If a domino can't shut anything, the player opens one shut tile and goes on."
    ),
    "blocked.last.dominoes": N_("From domino {throws} on, a domino without a move ends the turn."),
    "blocked=loses.dominoes": N_("If a domino can't shut anything, the player is out."),
    "insurance.dominoes": N_(
        "Every double earns an insurance marker. If a domino can't shut anything, a marker "
        "is used up instead, and the player draws again."
    ),
    "insurance.together.dominoes": N_(
        "Every double earns an insurance marker. If a domino can't shut anything, a marker is used up "
        "instead."
    ),
    "match=target-loses.together.dominoes": N_(
        "If one domino takes several players to the limit, only the worst total of them loses; players level "
        "on it lose together."
    ),
    "shut.together.dominoes": N_("If someone shuts the box, everyone answers that domino first."),
    "turn_seconds.dominoes": plural(
        "A turn may last one second from its first domino. Then it ends as if blocked.",
        "A turn may last {seconds} seconds from its first domino. Then it ends as if blocked.",
    ),
    "turn_seconds.throw.dominoes": plural(
        "Players have one second for each domino. Then their turn ends as if blocked.",
        "Players have {seconds} seconds for each domino. Then their turn ends as if blocked.",
    ),
    "score=throws.dominoes": N_("A turn scores the number of dominoes it took."),
    **{name: text for order in ORDERS for name, text in order.sentences.items()},
}
"""The rules in English, the language of the source; the catalogues have them under these texts."""

_SPAN = N_("{first} to {last}")
_ALL = N_("{some} and {last}")
_EITHER = N_("{some} or {last}")

# Lists of which only one counts at a time.
_ALTERNATIVES = ("boxes", "totals", "operations")

_BAGS = {21: N_("21, 1-1 to 6-6"), 28: N_("28, 0-0 to 6-6"), 32: N_("32, a Chinese set")}

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

_OPERATIONS = {
    Operation.SUM: N_("added"),
    Operation.DIFFERENCE: N_("subtracted"),
    Operation.PRODUCT: N_("multiplied"),
    Operation.QUOTIENT: N_("divided"),
}


def explain(profile: Profile, translate: Callable[[str], str] = str) -> tuple[str, ...]:
    """The rules of a profile, a sentence or two for each key that matters.

    What the traditional game doesn't have comes first.

    Args:
        profile: the game, on the box in play.
        translate: translates an English text.
    """

    def shown(key: str, value: _Value) -> str | int:
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            return translate(value)
        items = [translate(_OPERATIONS[each]) if isinstance(each, Operation) else each for each in value]
        return _join(items, translate(_EITHER if key in _ALTERNATIVES else _ALL), translate(_SPAN))

    return tuple(
        fill_in(SENTENCES[key], translate, {name: shown(name, value) for name, value in values.items()})
        for key, values in _rules(profile)
    )


def _join(items: Sequence[int | str], joined: str, span: str) -> str:
    first, end = items[0], items[-1]
    if len(items) > 2 and isinstance(first, int) and isinstance(end, int) and end - first == len(items) - 1:
        return span.format(first=first, last=end)
    *some, last = map(str, items)
    return joined.format(some=", ".join(some), last=last) if some else last


def shared_rules(profile: Profile) -> tuple[int, ...]:
    """The indices of the rules that the traditional game has, too, the most telling first."""
    places = {key: place for place, (key, values) in enumerate(_sort(profile)) if _is_usual((key, values))}
    return tuple(places[key] for key in _MOST_TELLING if key in places)


_MOST_TELLING = (
    "win=lowest",
    "move=set",
    "score=sum",
    "shut_wins=match",
    "blocked=ends-turn",
    "one_die=optional-high",
    "dice",
    "tiles",
    "rounds",
    "start_open.all",
    "turns=whole",
    "tie=play-off",
    "stakes=pool",
    "boxes",
)


@cache
def _traditional() -> tuple[_Rule, ...]:
    return tuple(
        _in_order(
            Profile(
                "traditional",
                boxes=(9, 10, 12),
                one_die=OneDie.OPTIONAL_HIGH,
                shut_wins=ShutWins.MATCH,
                stakes=Stakes.POOL,
            )
        )
    )


def _is_usual(rule: _Rule) -> bool:
    return rule in _traditional()


def _sort(profile: Profile) -> list[_Rule]:
    return sorted(_in_order(profile), key=_is_usual)


def _rules(profile: Profile) -> Iterator[_Rule]:
    for key, values in _sort(profile):
        drawn = f"{key}.dominoes"
        yield drawn if profile.draw is Draw.DOMINOES and drawn in SENTENCES else key, values


def _in_order(profile: Profile) -> Iterator[_Rule]:
    """The rules in order: setting up, playing a turn, winning a match; the same for dice and dominoes."""
    yield from _rules_of_box(profile)
    yield from _rules_of_turn(profile)
    yield from _rules_of_match(profile)


def _rules_of_box(profile: Profile) -> Iterator[_Rule]:
    count = len(profile.tiles)
    yield "tiles", {"count": count, "tiles": profile.tiles}
    if profile.rows == 2:
        first, last = profile.tiles[0], profile.tiles[-1]
        through = ".through" if profile.through else ""
        if are_plain(profile):
            yield "rows", {}
        elif profile.back is Back.SAME:
            yield f"rows={profile.back}{through}", {}
        else:
            yield f"rows={profile.back}{through}", {"first": first, "last": last}
        if profile.row_points == (2, 1):
            yield "row_points.double", {}
        elif profile.row_points not in ((), (1, 1)):
            front, behind = profile.row_points
            yield "row_points", {"front": front, "behind": behind}
    if len(profile.allowed_boxes) > 1:
        yield "boxes", {"boxes": profile.allowed_boxes}
    order = order_of(profile)
    begun = ".round" if order.one_row or order.opens else ""
    if profile.starting == profile.all_tiles:
        yield f"start_open.all{begun}", {}
    else:
        opened = to_numbers(profile.starting)
        yield _one("start_open", len(opened)) + begun, {"tiles": opened}


def _rules_of_turn(profile: Profile) -> Iterator[_Rule]:
    order = order_of(profile)
    if profile.draw is Draw.DOMINOES:
        yield f"draw={profile.draw}" + (".rotation" if order.one_bag else ""), {"bag": _BAGS[profile.bag]}
        if profile.has_blanks:
            yield f"blanks{_after_double_blank(profile)}", {}
    else:
        yield "dice", {"dice": profile.dice, "sides": profile.sides}
        if profile.dice > 1:
            yield from _rules_of_one_die(profile)
    yield f"move={profile.move}", {}
    yield from _rules_of_operations(profile)
    if profile.min_tiles > 1:
        yield "min_tiles", {"least": profile.min_tiles}
    if profile.max_tiles is not None:
        yield "max_tiles", {"most": profile.max_tiles}
    if profile.first_move_must_include is not None:
        values: dict[str, _Value] = {"tile": profile.first_move_must_include, "points": lost_score(profile)}
        yield "first_move_must_include", values
    if profile.ends_turn_on:
        which = ".sum" if len(profile.readings) > 1 else ""
        yield f"ends_turn_on{which}", {"totals": tuple(sorted(profile.ends_turn_on))}
    many = ".many" if profile.dice > 2 else ""
    if profile.doubles is not Doubles.PLAIN:
        yield f"doubles={profile.doubles}{many if profile.doubles is Doubles.DOUBLED else ''}", {}
    if profile.strikes > 1:
        yield "strikes", {"nth": _ORDINALS[profile.strikes - 2]}
    else:
        yield f"blocked={profile.blocked}", {}
    if profile.blocked is Blocked.OPENS_ONE and not can_be_shut(profile):
        yield "blocked.last", {"throws": MAX_THROWS}
    if profile.insurance:
        yield "insurance" + (".together" if order.one_throw else ""), {}
    if many and (profile.insurance or profile.doubles is not Doubles.PLAIN):
        yield "doubles.many", {}
    if not profile.is_solo:
        yield from order.rules(profile)
    if profile.turn_seconds is not None:
        per_throw = "" if order.whole_turns else ".throw"
        yield f"turn_seconds{per_throw}", {"seconds": profile.turn_seconds}
        if not idle_is_worst(profile):
            yield "turn_seconds.worst", {}
    scored = profile.win is not Win.LAST_IN or profile.loser_pays
    if scored and not profile.is_race and order.has_points:
        yield f"score={profile.score}", {}


def _after_double_blank(profile: Profile) -> str:
    if ends_turn(profile, DOUBLE_BLANK):
        return ".end"
    if not order_of(profile).one_throw:
        return ""
    return ".together.own" if profile.own_throws else ".together"


def _rules_of_operations(profile: Profile) -> Iterator[_Rule]:
    if profile.only_adds:
        return
    if profile.readings == (Operation.SUM, Operation.DIFFERENCE) and profile.dice == 2:
        yield "difference", {}
        return
    yield _one("operations", len(profile.readings)), {"operations": profile.readings}
    if Operation.DIFFERENCE in profile.readings and profile.dice > 2:
        yield "operations.signs", {}
    if Operation.QUOTIENT in profile.readings:
        yield "operations.quotient", {}


def _rules_of_one_die(profile: Profile) -> Iterator[_Rule]:
    # No tile of a turn may ever be low enough for one die to be thrown.
    if not is_one_die_ever_allowed(profile):
        yield "one_die=never" + (".two" if profile.dice == 2 else ""), {"dice": profile.dice}
    elif profile.one_die in (OneDie.OPTIONAL_HIGH, OneDie.FORCED_HIGH) and (
        profile.one_die_limit >= profile.tiles[-1]
    ):
        yield f"one_die={profile.one_die}.always", {}
    else:
        at: dict[str, _Value] = {} if profile.one_die is OneDie.ONLY_ONE else {"at": profile.one_die_limit}
        rows = ".rows" if profile.one_die is OneDie.ONLY_ONE and profile.rows == 2 else ""
        yield f"one_die={profile.one_die}{rows}", at
    if order_of(profile).one_throw and is_one_die_ever_allowed(profile):
        yield "one_die.together", {}


def _rules_of_match(profile: Profile) -> Iterator[_Rule]:
    if profile.is_solo:
        yield from _rules_of_ladder(profile)
    elif profile.stakes is Stakes.BANK:
        yield from _rules_of_bank(profile)
    else:
        yield from _rules_of_rivals(profile)
    if profile.captain:
        yield "captain", {}
    if profile.first is not First.SEAT_1 and not profile.is_solo:
        yield f"first={profile.first}", {}
    if profile.teams is not None:
        yield "teams", {"teams": profile.teams}
    yield from _rules_of_head_starts(profile)


def _rules_of_rivals(profile: Profile) -> Iterator[_Rule]:
    on_total = profile.match is MatchFormat.TOTAL
    by_last_tile = not order_of(profile).has_points
    by_scores = on_total and not (profile.is_race or by_last_tile or profile.win is Win.LAST_IN)
    if by_scores:
        yield "rounds", {"rounds": profile.rounds}
        yield f"win={profile.win}", {}
    elif profile.counts_rounds_won:
        yield from _rules_of_rounds_won(profile)
    elif not on_total:
        yield f"match={profile.match}", {"limit": profile.limit or 0}
        if order_of(profile).one_throw and profile.match is MatchFormat.TARGET_LOSES:
            yield f"match={profile.match}.together", {}
    elif not by_last_tile:
        yield "win=first-to-shut.sure" if profile.is_race else f"win={profile.win}", {}
    only = ".only" if profile.shut_wins is ShutWins.ROUND and on_total and profile.rounds == 1 else ""
    if order_of(profile).one_throw and profile.shut_wins is not ShutWins.NO:
        yield "shut.together", {}
        yield f"shut_wins={profile.shut_wins}{only}.together", {}
    elif profile.win not in (Win.FIRST_TO_SHUT, Win.LAST_IN):
        yield f"shut_wins={profile.shut_wins}{only}", {}
    if isinstance(profile.shut_others, str):
        yield f"shut_others.{profile.shut_others}", {}
    elif profile.shut_others:
        yield "shut_others", {"points": profile.shut_others}
    if not on_total and not profile.counts_rounds_won and _may_last(profile):
        yield "match.last", {"rounds": LAST_ROUND}
    loses = profile.match in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT)
    if profile.tie is Tie.CARRY and not profile.is_race:
        yield from _rules_of_carry(profile)
    elif by_scores or not on_total:
        left = ".left" if loses and profile.tie is Tie.REPLAY_ALL else ""
        yield f"tie={profile.tie}{left}", {"most": MAX_TIE_ROUNDS}
    if profile.loser_pays:
        yield f"stakes=loser-pays{_whose_loser(profile)}", {}
        return
    which = ""
    if profile.has_pool and on_total and (not by_scores or profile.tie is Tie.CARRY):
        which = ".only"
    elif profile.has_pool and profile.tie is Tie.CARRY:
        which = ".carry"
    yield f"stakes={profile.stakes}{which}", {}


def _whose_loser(profile: Profile) -> str:
    """Who pays: the loser of each round, or of the match."""
    if profile.match in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT):
        return f".{profile.match}"
    return ".match" if profile.stakes is Stakes.LOSER_PAYS_MATCH else ""


def _rules_of_rounds_won(profile: Profile) -> Iterator[_Rule]:
    first = ".first" if profile.win is Win.FIRST_TO_SHUT else ""
    if profile.limit is not None:
        yield f"match=rounds-won.limit{first}", {"limit": profile.limit}
    else:
        yield f"match=rounds-won{first}", {"rounds": profile.rounds}
    alone = ".alone" if profile.tie is Tie.CARRY else ""
    if profile.win is Win.FIRST_TO_SHUT:
        alone = ".last" if not order_of(profile).has_points else ".sure" if profile.is_race else ""
    yield f"win={profile.win}.round{alone}", {}


def _rules_of_carry(profile: Profile) -> Iterator[_Rule]:
    if profile.has_pool:
        yield "tie=carry", {}
    if profile.counts_rounds_won:
        yield "tie=carry.point", {}
        if profile.limit is None:
            yield "tie=carry.last", {}
    elif profile.match is not MatchFormat.TOTAL:
        yield "tie=play-off", {"most": MAX_TIE_ROUNDS}


def _may_last(profile: Profile) -> bool:
    """Whether a match to a limit can last for the most rounds allowed."""
    least = worst_score(profile) if profile.highest_wins else best_score(profile)
    return least * LAST_ROUND < (profile.limit or 0)


def _rules_of_ladder(profile: Profile) -> Iterator[_Rule]:
    yield "rounds.alone", {"rounds": profile.rounds}
    if profile.limit is None:
        yield "match=ladder", {}
    else:
        yield "match=ladder.limit", {"limit": profile.limit}
    yield f"win={profile.win}.total", {}


def _rules_of_bank(profile: Profile) -> Iterator[_Rule]:
    yield "rounds", {"rounds": 1}
    yield f"stakes={profile.stakes}", {"stake": profile.stake}
    head_starts = any(points_off(profile, seat) for seat in range(len(profile.handicap)))
    for mark, paid in profile.pays if not profile.highest_wins else reversed(profile.pays):
        only = mark == best_score(profile) and not head_starts and len(profile.pays) > 1
        yield "pays.best" if only else f"pays.{profile.win}", {"score": mark, "paid": paid}


def _rules_of_head_starts(profile: Profile) -> Iterator[_Rule]:
    for seat in range(len(profile.handicap)):
        points, shut = points_off(profile, seat), to_numbers(tiles_off(profile, seat))
        if points:
            which = "more" if profile.highest_wins else "less"
            yield f"handicap.{which}", {"player": seat + 1, "points": points}
        if shut:
            yield _one("handicap.tiles", len(shut)), {"player": seat + 1, "tiles": shut}


def _one(key: str, count: int) -> str:
    return f"{key}.one" if count == 1 else key


SUMMARIES: dict[str, str] = {
    "dominoes": N_("Dominoes instead of dice."),
    "blanks": N_("Dominoes with blanks."),
    "first": N_("Shut the {tile} first."),
    "single": N_("One tile a throw."),
    "exact": N_("Use the whole throw."),
    "faces": N_("Shut the sum or the dice."),
    "faces-free": N_("The sum, both dice, or one."),
    "knipsen": N_("Shut the sum, the dice, or some."),
    "rows": N_("Two rows, one behind the other."),
    "reversed": N_("Two rows, {last} behind {first}."),
    "last-tile": N_("The last tile wins."),
    "sum, difference": N_("Add the dice or subtract them."),
    "signs": plural("One die, plus or minus.", "{dice} dice, each plus or minus."),
    "sum, product": N_("Add the dice or multiply them."),
    "sum, quotient": N_("Add the dice or divide them."),
    "sum, difference, product, quotient": N_("Add, subtract, multiply, divide."),
    "operations": N_("Another way to read the dice."),
    "least": plural("At least one tile a throw.", "At least {least} tiles a throw."),
    "most": plural("At most one tile a throw.", "At most {most} tiles a throw."),
    "passes": N_("No move? Play on."),
    "strikes": plural("One miss and you are out.", "{strikes} misses and you are out."),
    "doubles=ends-turn": N_("A double ends the turn."),
    "doubles=doubled": N_("A double counts twice."),
    "opens": N_("No move? Open a tile."),
    "some": plural("Start with tile {tile} open.", "Start with {count} tiles open."),
    "ends": N_("A throw of {total} ends the turn."),
    "captain": N_("Shut in the first turn: Captain!"),
    "tiles": plural("One tile.", "{count} tiles."),
    "rounds": plural("One round.", "{rounds} rounds, added up."),
    "shut": N_("Shut the box and you win."),
    "dice": plural("{dice} dice, one tile.", "{dice} dice, {tiles} tiles."),
    "dice.one": N_("One die with {sides} sides."),
    "digits": N_("Open tiles read as a number."),
    "digits-reversed": N_("Open tiles read backwards."),
    "count": N_("Every open tile is one point."),
    "target-loses": plural("At one point you lose.", "At {limit} points you lose."),
    "target-wins": plural("At one point you win.", "At {limit} points you win."),
    "drop-out": plural("At one point you are out.", "At {limit} points you are out."),
    "rounds-won": N_("Win the most rounds."),
    "lowest": N_("The lowest score wins."),
    "highest": N_("The highest score wins."),
    "first-to-shut": N_("The first to shut the box wins."),
    "last-in": N_("The last one left wins."),
    "ladder": N_("Alone: beat the best so far."),
    "bank": N_("The bank pays for good scores."),
    "no": N_("A shut box ends only your turn."),
    "pool-double": N_("A shut box wins double stakes."),
    **{order.turns.value: order.summary for order in ORDERS if order.summary},
}
"""The rules of a profile at a glance: what is special, and how it is won."""


_USUAL_TILES = 9


def summary(profile: Profile, translate: Callable[[str], str] = str) -> str:
    """The special rule of a profile, if any, and how it is won: two short sentences at most."""
    special = next(_special(profile), None)
    aim: Win | MatchFormat | Stakes = profile.win if profile.match is MatchFormat.TOTAL else profile.match
    if profile.stakes is Stakes.BANK:
        aim = profile.stakes
    limit: dict[str, int] = {} if profile.limit is None else {"limit": profile.limit}
    last_tile = not order_of(profile).has_points and profile.match is MatchFormat.TOTAL
    rules = ([special] if special else []) + [("last-tile" if last_tile else aim.value, limit)]
    return " ".join(fill_in(SUMMARIES[key], translate, values) for key, values in rules)


def distinction(profile: Profile, translate: Callable[[str], str] = str) -> str:
    """The sentence that distinguishes a game from the traditional one; for that one, its aim."""
    key, values = next(_distinctions(profile))
    return fill_in(SUMMARIES[key], translate, values)


def _distinctions(profile: Profile) -> Iterator[tuple[str, dict[str, int]]]:
    """The differences a player of the traditional game wouldn't expect, the most telling first."""
    if profile.back is Back.REVERSED:
        yield "reversed", {"first": profile.tiles[0], "last": profile.tiles[-1]}
    if profile.stakes is Stakes.BANK:
        yield profile.stakes.value, {}
    if profile.match is not MatchFormat.TOTAL:
        yield profile.match.value, {"limit": profile.limit or 0}
    if profile.score in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        yield profile.score.value, {}
    rules = (rule for rule in _special(profile) if rule[0] != "shut")
    yield from rules
    if profile.win is not Win.LOWEST:
        yield profile.win.value, {}
    if profile.shut_wins is ShutWins.NO:
        yield "no", {}
    if profile.stakes is Stakes.POOL_DOUBLE:
        yield "pool-double", {}
    yield "shut" if profile.shut_wins is ShutWins.MATCH else "lowest", {}


def _special(profile: Profile) -> Iterator[tuple[str, dict[str, int]]]:
    """The rules that a player of the traditional game wouldn't expect, the most surprising first."""
    if profile.draw is Draw.DOMINOES:
        yield "blanks" if profile.has_blanks else "dominoes", {}
    if profile.first_move_must_include is not None:
        yield "first", {"tile": profile.first_move_must_include}
    if order_of(profile).summary:
        yield profile.turns.value, {}
    if profile.back is Back.REVERSED:
        yield "reversed", {"first": profile.tiles[0], "last": profile.tiles[-1]}
    elif profile.rows == 2:
        yield "rows", {}
    if profile.move is MoveKind.KNIPSEN:
        yield "knipsen", {}
    if profile.move is MoveKind.SINGLE or profile.max_tiles == 1:
        yield "single", {}
    if profile.move is MoveKind.EXACT:
        yield "exact", {}
    if profile.move in (MoveKind.FACES, MoveKind.FACES_FREE):
        yield profile.move.value, {}
    if not profile.only_adds:
        read = ", ".join(profile.readings)
        if read == "sum, difference" and profile.dice > 2:
            read = "signs"
        yield read if read in SUMMARIES else "operations", {"dice": profile.dice}
    if profile.dice > 2:
        yield "dice", {"dice": profile.dice, "tiles": len(profile.tiles)}
    if profile.dice == 1:
        yield "dice.one", {"sides": profile.sides}
    if profile.starting != profile.all_tiles:
        opened = to_numbers(profile.starting)
        yield "some", {"tile": opened[0], "count": len(opened)}
    if len(profile.ends_turn_on) == 1:
        yield "ends", {"total": min(profile.ends_turn_on)}
    if profile.min_tiles > 1:
        yield "least", {"least": profile.min_tiles}
    if profile.max_tiles is not None:
        yield "most", {"most": profile.max_tiles}
    if profile.doubles is not Doubles.PLAIN:
        yield f"doubles={profile.doubles}", {}
    if profile.strikes > 1:
        yield "strikes", {"strikes": profile.strikes}
    if profile.blocked is Blocked.PASSES:
        yield "passes", {}
    if profile.blocked is Blocked.OPENS_ONE:
        yield "opens", {}
    if profile.score in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        yield profile.score.value, {}
    if profile.score is Scoring.COUNT:
        yield "count", {}
    if profile.captain:
        yield "captain", {}
    if profile.rounds > 1 and not profile.counts_rounds_won:
        yield "rounds", {"rounds": profile.rounds}
    if len(profile.tiles) > _USUAL_TILES:
        yield "tiles", {"count": len(profile.tiles)}
    if profile.shut_wins is ShutWins.MATCH:
        yield "shut", {}
