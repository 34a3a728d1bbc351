"""The machine's account of how a match is played: what was luck, and what the decisions cost."""

from dataclasses import replace
from fractions import Fraction

from shutthebox.game.frame import Frame
from shutthebox.odds.advice import Step
from shutthebox.rules.actions import Action, Advanced, Moved, Reopened, Thrown
from shutthebox.rules.profile import Turns


class Accounting(Frame):
    """Keeps the steps of every turn until the odds are there to judge them by."""

    def _note(self, action: Action) -> None:
        """Keeps the running turn's steps, for the account that is made of it."""
        steps, ended = self._state.steps, self._state.ended
        match action:
            case Thrown(faces):
                steps = (*steps, Step(faces))
            case Moved(shut) if steps:
                steps = (*steps[:-1], replace(steps[-1], shut=shut))
            case Reopened(tile) if steps:
                steps = (*steps[:-1], replace(steps[-1], opened=tile))
            case Advanced():
                if self._played_whole:
                    ended = (*ended, (self._match.player, steps))
                steps = ()
        self._set(steps=steps, ended=ended)

    @property
    def _played_whole(self) -> bool:
        """A turn that was joined half-way (or played in rotation) is not taken apart."""
        match = self._match
        return match.profile.turns is Turns.WHOLE and len(self._state.steps) == match.turn.throws

    def _take_account(self) -> None:
        """Luck and decisions of the turn that has ended."""
        whole, profile = self._played_whole, self._match.profile
        self._set(account=self._advisor.account(profile, self._state.steps) if whole else None)

    def _add_accounts(self) -> None:
        """Luck and decisions of all turns that have ended, if the odds are there yet."""
        for player, steps in self._state.ended:
            account = self._advisor.account(self._match.profile, steps)
            if account is None:
                return
            self._set(
                ended=self._state.ended[1:],
                given_away=_added(self._state.given_away, player, account.given_away),
                luck=_added(self._state.luck, player, account.luck),
            )


def _added(sums: tuple[Fraction, ...], at: int, more: Fraction) -> tuple[Fraction, ...]:
    return tuple(value + more * (i == at) for i, value in enumerate(sums))
