"""Two ends of a linked match and whatever lies between them, in virtual time, from one seed."""

from random import Random

from shutthebox.link.match import Agreement, LinkFact, Rolled, join
from shutthebox.link.messages import Sync
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Advanced, Moved, Reopened, Thrown
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.position import Stage


class End:
    """One box: what it has kept, and what it knows in its memory until somebody pulls the plug."""

    def __init__(self, agreement: Agreement, seat: int, chain: DiceChain) -> None:
        self._begin = agreement, seat, chain
        self.kept: list[LinkFact] = []
        self.linked = join(*self._begin)

    def keep(self, *facts: LinkFact) -> None:
        for fact in facts:
            self.linked = self.linked.after(fact)
            self.kept.append(fact)

    def pull_the_plug(self) -> None:
        self.linked = join(*self._begin)
        for fact in self.kept:
            self.linked = self.linked.after(fact)

    def receive(self, sync: Sync) -> bool:
        linked, facts, answer = self.linked.receive(sync)
        self.kept += facts
        self.linked = linked
        return answer

    def act(self, random: Random) -> bool:
        """Does what this box's player may do now, if anything."""
        linked, match = self.linked, self.linked.match
        if not linked.is_ours or linked.rolled is not None:
            return False
        match match.stage:
            case Stage.THROW if match.round.common is not None:
                self.keep(Thrown(match.round.common.faces))
            case Stage.THROW:
                self.keep(Rolled(random.choice(match.dice_allowed)))
            case Stage.ADVANCE:
                self.keep(Advanced())
            case Stage.ANSWER:
                moves, opened = (
                    turns.answers(match.rules, match.turn),
                    turns.reopenings(match.rules, match.turn),
                )
                if moves:
                    self.keep(Moved(random.choice(sorted(moves))))
                elif opened:
                    self.keep(Reopened(random.choice([t + 1 for t in range(12) if opened >> t & 1])))
                else:
                    self.keep(Moved(0))
        return True
