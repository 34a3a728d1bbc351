"""A process that plays at full speed into a real store, and is killed while it does."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.support.chance import next_action

from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import (
    Began,
    BestTotal,
    BoxLeft,
    Chosen,
    ClockShown,
    Fact,
    Faulted,
    Finished,
    Linked,
    LogSigned,
    PageRules,
    PlayersLeft,
    RematchWanted,
    Remembered,
    Resumed,
    Signed,
    Streak,
    WrongCodes,
)
from shutthebox.link.invitation import linkable
from shutthebox.link.match import Agreement, Revealed, Rolled
from shutthebox.rules.actions import Advanced, Moved, Reopened, Thrown, apply
from shutthebox.rules.conditions import Conditions, LinkProof
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile

GAMES = (builtin("traditional"), builtin("pub"))

MORE_GAMES = (*GAMES, builtin("open-one"), replace(builtin("pub"), turn_seconds=30))
"""Games in which everything happens: a blocked player opens a tile, a clock runs out."""


WORDS = {Began: "begin", Finished: "finish", PlayersLeft: "leave"}


def fact_text(fact: Fact) -> str:
    """The fact in a line: an action's own text, or the store's word for the others."""
    if isinstance(fact, Thrown | Moved | Reopened | Advanced):
        return fact.to_text()
    return WORDS[type(fact)]


def facts(match: Match | None, rng: Random, games: Sequence[Profile] = GAMES) -> Iterator[Fact]:
    """The facts of players who play for ever, going on with this match."""
    while True:
        if match is None:
            match = begin(rng.choice(games), rng.randint(1, 3))
            yield Began(match)
        while match.stage is not Stage.FINISHED:
            action = next_action(match, rng)
            match = apply(match, action)
            yield action
            if match.stage is Stage.ADVANCE and match.result is not None:
                yield Finished(match)
        yield PlayersLeft()
        match = None


def facts_of_all_kinds(rng: Random) -> Iterator[Fact]:
    """As `facts`, with every kind of fact, under all conditions; some winners sign, others give up."""
    for number, fact in enumerate(facts(None, rng, MORE_GAMES)):
        if isinstance(fact, Began):
            seats, out = ((switch,) if rng.random() < 0.3 else () for switch in (1, 4))
            proof = LinkProof(("a" * 64, "b" * 64), ("c" * 64, "d" * 64)) if rng.random() < 0.3 else None
            fact = fact._replace(conditions=Conditions(rng.random() < 0.3, seats, out, linked=proof))
            if rng.random() < 0.1:
                yield from (fact, PlayersLeft())
            if rng.random() < 0.4:
                yield rng.choice(_remembered(number))
            if (link := linked_to(fact.match)) is not None and rng.random() < 0.3:
                fact = fact._replace(link=link)
        yield fact
        if isinstance(fact, Began) and fact.link is not None:
            yield from (Rolled(2), Revealed(_OTHER_CHAIN.link(1)))
            yield from (LogSigned(0, "c4" * 64), BoxLeft(1, has_thrown=True), RematchWanted("3c" * 32))
        if isinstance(fact, Finished) and fact.match.result is not None and rng.random() < 0.3:
            yield Signed(fact.match.result.winners[0], f"{number:03}"[-3:])
        if isinstance(fact, Thrown) and rng.random() < 0.05:
            yield rng.choice(
                (
                    ClockShown(number % 30),
                    Resumed(Conditions(out_of_play=(7,))),
                    Faulted("lever", f"lever {number % 9} chatters"),
                )
            )


_OTHER_CHAIN = DiceChain("5e" * 32)


def linked_to(match: Match) -> Linked | None:
    """What links a match to another box; None if two boxes can't play it."""
    game, secret = linkable(match.game), "3c" * 32
    if game is None or match.players != 2:
        return None
    commitments = DiceChain(secret).commitment, _OTHER_CHAIN.commitment
    agreement = Agreement(
        game, match.rounds, 0, 600, ("The Anchor", "The Crown"), commitments, "5e" * 16, ("3b" * 32, "")
    )
    return Linked(agreement, 0, secret, "9f" * 16)


def _remembered(number: int) -> tuple[Remembered, ...]:
    return (
        Chosen("game.players", number % 9 + 1),
        BestTotal("ladder.9", number),
        Streak(number, number % 5),
        PageRules(f'name = "{number}"'),
        WrongCodes(number % 3),
    )


def write(folder: str, seed: int, shown: Connection) -> None:
    """Keeps facts and tells each when it has been kept; until killed."""
    store, store_fault = open_or_set_aside(Path(folder), lambda: 0.0)
    if store is None or store_fault is not None:
        shown.send(f"refused: {store_fault}")
        return
    running = store.running_match()
    match = None
    if running is not None:
        match = running[0]
        for action in running[1]:
            match = apply(match, action)
    for fact in facts(match, Random(seed)):
        store.keep(fact)
        store.write_back()
        shown.send(fact_text(fact))
