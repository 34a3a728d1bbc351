"""What a throw can lead to at a position, whatever the rule for a throw without a move."""

from typing import TypeAlias

from shutthebox.odds.rolls import Roll, rolls_by_position
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import TooLargeError
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import Blocked

Event: TypeAlias = tuple[int, tuple[int, ...]]
"""A number of throws, and the positions of which the player chooses one after them."""


MOST_EVENTS = 60_000
"""Most events that are iterated on, where positions come round: some seconds of work. The games on
the sheets have 37,644 at most."""


class Events:
    """The events of every position of a profile, by the roll that is made.

    Attributes:
        space: the positions.
        at: per position, per roll allowed, its events; throws that end the turn are not among
            them.
    """

    def __init__(self, space: Space) -> None:
        """Goes through every position once.

        Raises:
            TooLargeError: for more events than can be iterated on.
        """
        self.space = space
        self._far, self._near = rolls_by_position(space)
        self.at = [[self._events(mask, roll) for roll in self.rolls(mask)] for mask in range(space.size)]
        count = sum(len(events) for rolls in self.at for events in rolls)
        if count > MOST_EVENTS:
            raise TooLargeError(f"{count} events are too many for exact odds, {MOST_EVENTS} are the most")

    def rolls(self, mask: int) -> tuple[Roll, ...]:
        """The rolls that a player may choose from, the usual number of dice first."""
        return self._near[mask] if mask < len(self._near) else self._far

    def index(self, mask: int, dice: int) -> int:
        """Which of the rolls is that of so many dice.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        for index, roll in enumerate(self.rolls(mask)):
            if roll.dice == dice:
                return index
        raise ValueError(f"{dice} dice cannot be thrown at {self.space.numbers}, position {mask}")

    def first(self, mask: int, index: int) -> tuple[list[Event], int]:
        """The events of a turn's first throw, where its move must include a certain tile.

        Returns:
            The events, and how many throws lose the turn.
        """
        roll = self.rolls(mask)[index]
        must = self.space.bit(self.space.profile.first_move_must_include or 0)
        events: list[Event] = []
        lost = roll.idle
        for answers in roll.classes:
            after = tuple(mask ^ move for move in answers.moves(mask) if move & must)
            if after:
                events.append((answers.weight, after))
            else:
                lost += answers.weight
        return events, lost

    def _events(self, mask: int, roll: Roll) -> list[Event]:
        events: list[Event] = []
        blocked = roll.idle
        for answers in roll.classes:
            moves = answers.moves(mask)
            if moves:
                events.append((answers.weight, tuple(mask ^ move for move in moves)))
            else:
                blocked += answers.weight
        profile, space = self.space.profile, self.space
        if not blocked or profile.blocked is Blocked.ENDS_TURN:
            return events
        shut = space.dense(profile.starting) & ~mask
        if profile.blocked is Blocked.OPENS_ONE and shut:
            bits = (1 << i for i in range(len(space.numbers)))
            events.append((blocked, tuple(mask | bit for bit in bits if shut & bit)))
        elif mask and can_ever_move(profile, space.sparse(mask)):
            events.append((blocked, (mask,)))
        return events
