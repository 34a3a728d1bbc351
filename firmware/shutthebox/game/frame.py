"""What every part of the machine stands on: its state, its words, and the effects it collects."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shutthebox.game.advisor import Advisor
from shutthebox.game.dice import Dice
from shutthebox.game.effects import (
    Effect,
    Fact,
    Play,
    Record,
    Sound,
)
from shutthebox.game.judge import Verdict, VerdictKind, judge
from shutthebox.game.menu import Translate
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import to_numbers


class Frame:
    """The machine without anything that it does. Arguments as for `Machine`."""

    def __init__(
        self,
        settings: Settings,
        words: Mapping[str, Translate],
        dice: Dice,
        state: State,
        t_ns: int,
        advisor: Advisor,
        statistics: Callable[[Translate], Sequence[str]],
    ) -> None:
        self._settings = settings
        self._all_words = words
        self._dice = dice
        self._now = self._touched_ns = t_ns
        self._effects: list[Effect] = []
        self._flipped = self._lifted = 0
        self._statistics = statistics
        self._advisor = advisor
        self._state = state

    def _set(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]

    def _words(self, text: str) -> str:
        return self._all_words[self._settings.language](text)

    def _record(self, fact: Fact) -> None:
        self._effects.append(Record(fact))

    def _sound(self, sound: Sound) -> None:
        if self._settings.sound:
            self._effects.append(Play(sound))

    def _refuse(self, reason: str) -> None:
        self._set(notice=reason)
        self._sound(Sound.REFUSED)

    def _wake(self) -> None:
        self._set(asleep=False)
        self._sound(Sound.WAKE)

    @property
    def _match(self) -> Match:
        assert self._state.match is not None, f"{self._state.mode} is a mode of a match"
        return self._state.match

    def _judge(self) -> Verdict:
        verdict = judge(self._match.profile, self._match.turn, self._state.levers, self._state.answer)
        if verdict != self._state.verdict and verdict.kind in (
            VerdictKind.PUT_BACK,
            VerdictKind.LIFT,
            VerdictKind.OVER,
            VerdictKind.DEAD_END,
        ):
            self._sound(Sound.FAULT)
        if verdict.tiles != self._state.verdict.tiles:
            self._set(wrong_ns=self._now)
        self._set(verdict=verdict)
        return verdict

    def _levers_put_back(self) -> tuple[int, ...]:
        """The levers that have been flipped and put back by this change: each is a choice."""
        started = self._state.chosen_with
        self._set(chosen_with=(started | self._flipped) & ~self._lifted)
        chosen = to_numbers(self._lifted & started)
        if chosen:
            self._sound(Sound.CHOICE)
        return chosen
