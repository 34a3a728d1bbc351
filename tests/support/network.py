"""Two ends of a linked match and whatever lies between them, in virtual time, from one seed."""

from copy import copy
from random import Random
from typing import Self

from shutthebox.link.match import LinkedMatch, LinkFact, Rolled
from shutthebox.link.messages import Sync
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Advanced, Moved, Reopened, Thrown
from shutthebox.rules.position import Stage


class End:
    """One box: what it has kept, and what it knows in its memory until somebody pulls the plug."""

    def __init__(self, begun: LinkedMatch) -> None:
        self._begun = begun
        self.kept: list[LinkFact] = []
        self._start()

    def _start(self) -> None:
        self.linked, self.match = self._begun, self._begun.agreement.beginning
        for fact in self.kept:
            self._apply(fact)

    def _apply(self, fact: LinkFact) -> None:
        self.linked, self.match = self.linked.after(fact, self.match), fact.apply(self.match)

    def keep(self, *facts: LinkFact) -> None:
        for fact in facts:
            self._apply(fact)
            self.kept = [*self.kept, fact]

    def pull_the_plug(self) -> None:
        self._start()

    def with_log(self, linked: LinkedMatch) -> Self:
        """The same box, at the same position, with this log."""
        end = copy(self)
        end.linked = linked
        return end

    def receive(self, sync: Sync) -> bool:
        """Takes a message, or nothing of it; returns whether the other box needs an answer."""
        if not self.linked.is_about(sync):
            return False
        end = copy(self)
        while (fact := end.linked.next_fact(sync, end.match)) is not None:
            end.keep(fact)
        answer = end.kept != self.kept or end.linked.owes_answer(sync, end.match)
        end.linked = end.linked.confirm(sync)
        vars(self).update(vars(end))
        return answer

    def message(self) -> Sync:
        return self.linked.message(self.match)

    @property
    def is_ours(self) -> bool:
        return self.linked.is_ours(self.match)

    @property
    def is_settled(self) -> bool:
        return self.linked.is_settled(self.match)

    @property
    def awaits_confirmation(self) -> bool:
        return self.linked.awaits_confirmation(self.match)

    @property
    def awaits_answer(self) -> bool:
        return self.linked.awaits_answer(self.match)

    def act(self, random: Random) -> bool:
        """Does what this box's player may do now, if anything."""
        match = self.match
        if not self.is_ours or self.linked.rolled is not None:
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
