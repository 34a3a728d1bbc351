"""A match on two linked boxes, without the boxes."""

from random import Random

from tests.support.chance import next_action

from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import Action, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions, LinkProof
from shutthebox.rules.linked_dice import DiceChain, linked_throw
from shutthebox.rules.match import Stage, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.record import Record


def linked_record(seed: int = 1, game: str = "traditional", rounds: int = 1, most: int = 2000) -> Record:
    """A match at random, up to so many actions."""
    random = Random(seed)
    host, guest = (DiceChain(random.randbytes(32).hex()) for _ in range(2))
    commitments = links = host.commitment, guest.commitment
    match, actions, throws = begin(builtin(game), 2, rounds), list[Action](), 0
    while match.stage is not Stage.FINISHED and len(actions) < most:
        action = next_action(match, random)
        if isinstance(action, Thrown) and match.common is None:
            throws += 1
            links = host.link(throws), guest.link(throws)
            dice = random.choice(dice_allowed(match.rules, match.turn.open, match.turn.behind))
            action = Thrown(linked_throw(match, throws, dice, links))
        actions.append(action)
        match = apply(match, action)
    conditions = Conditions(versions=(f"0.1.0 rules {RULES_VERSION}",), linked=LinkProof(commitments, links))
    return Record(match.game, 2, match.rounds, tuple(actions), conditions)
