"""The machine during a match: throws, levers, turns, and who is next."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest

from shutthebox.game.accounting import Accounting
from shutthebox.game.debounce import Health
from shutthebox.game.effects import Began, Finished, Left, Resumed, Sound
from shutthebox.game.entry import Entry
from shutthebox.game.judge import FINE, VerdictKind
from shutthebox.game.mode import Mode
from shutthebox.game.prompts import commit_refusal, fault_text, hint_lines, refusal_text
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, Reopened, Thrown, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match, Result, Stage, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.profile import Draw, Turns
from shutthebox.rules.tiles import to_numbers
from shutthebox.rules.turn import Outcome

TUMBLE_NS = 800_000_000
"""How long the dice tumble; a press shows them at once."""

COMPUTER_NS = 1_200_000_000
"""How long the computer waits before it throws, so that people can follow."""

SILENT_MOVES = 40
"""A lever that has stood still for so many moves of the others, two or three turns, may be dead."""


class Playing(Accounting):
    """What the table names for the modes of a match."""

    def _begin(self) -> None:
        settings = self._settings
        assert settings.game is not None, "what cannot be played is not begun"
        match = begin(settings.game, settings.players, settings.rounds)
        self._record(Began(match, self._conditions(match)))
        self._set_up(match)
        self._await_throw()

    def _resume(self, match: Match, actions: Sequence[Action]) -> None:
        """Goes on with a kept match: the levers are judged as they are."""
        self._record(Resumed(self._conditions(match)))
        self._set_up(match)
        for action in actions:
            self._note(action)
            match = apply(match, action)
            self._set(match=match)
        match match.stage:
            case Stage.THROW:
                self._await_throw()
            case Stage.ANSWER | Stage.ADVANCE:
                self._after_throw()
            case Stage.FINISHED:
                assert match.result is not None, "a finished match has a result"
                self._decided(match.result)
                self._set(mode=Mode.MATCH_OVER)

    def _conditions(self, match: Match) -> Conditions:
        """The conditions under which this match is played from now on."""
        settings = self._settings
        return Conditions(
            real_dice=settings.real_dice,
            computers=tuple(sorted(seat for seat in settings.computers if seat <= match.players)),
            out_of_play=to_numbers(settings.out & match.profile.all_tiles & ~match.profile.starting),
        )

    def _await_throw(self) -> None:
        """Raise until the levers fit the player's row, then ready."""
        self._set(answer=None, dice_hint=self._dice_hint())
        verdict = self._judge()
        self._set(mode=Mode.READY if verdict.kind is VerdictKind.OK else Mode.RAISE, ready_ns=self._now)

    def _dice_hint(self) -> tuple[int, float] | None:
        hint = self._advisor.hint(self._match) if self._settings.hints else None
        if hint is None or hint.dice is None or hint.dice_cost is None:
            return None
        return hint.dice, hint.dice_cost

    def _do(self, action: Action) -> None:
        self._record(action)
        self._note(action)
        self._set(match=apply(self._match, action))

    def _set_up(self, match: Match) -> None:
        """Everything as at the beginning of a match."""
        self._advisor.prepare(match.profile)
        none = (Fraction(0),) * match.players
        self._set(
            match=match, picker=None, item="", signed=None, account=None,
            steps=(), ended=(), given_away=none, luck=none,
        )  # fmt: skip

    def _leave_match(self) -> None:
        self._record(Left())
        self._set(mode=Mode.ATTRACT, match=None, rolled=None, entry=None, verdict=FINE)

    def _levers_before_throw(self) -> None:
        verdict = self._judge()
        if self._state.mode is Mode.RAISE and verdict.kind is VerdictKind.OK:
            self._set(mode=Mode.READY)
        self._set(ready_ns=self._now)

    @property
    def _computer_plays(self) -> bool:
        return self._match.player + 1 in self._settings.computers

    @property
    def _computer_waits(self) -> bool:
        """The computer is about to throw."""
        state = self._state
        ready = state.mode is Mode.READY and state.verdict.kind is VerdictKind.OK
        return ready and not state.asleep and self._computer_plays

    def _computer_throws(self) -> None:
        if self._computer_waits:
            self._throw(one_die=self._advisor.dice(self._match) == 1)

    def _press_to_throw(self) -> None:
        self._throw(one_die=False)

    def _hold_to_throw_one(self) -> None:
        match = self._match
        allowed = dice_allowed(match.profile, match.turn.open)
        if len(allowed) > 1:
            self._throw(one_die=True)
            return
        refusal = turns.dice_refusal(match.profile, match.turn, 1) or turns.Refusal.ONE_DIE_ONLY
        self._refuse(refusal_text(refusal, self._words))

    def _throw(self, *, one_die: bool) -> None:
        if self._state.verdict.kind is not VerdictKind.OK:
            self._refuse(fault_text(self._state, self._words))
            return
        match = self._match
        dice = 1 if one_die else dice_allowed(match.profile, match.turn.open)[0]
        if self._settings.real_dice and not self._computer_plays:
            self._enter(dice, pressed=not one_die)
            return
        if match.profile.draw is Draw.DOMINOES:
            faces = self._dice.draw(turns.bag(match.turn))
        else:
            faces = self._dice.throw(dice, match.profile.sides)
        # Kept before it is seen: pulling the plug gives no second chance at a throw.
        thrown = Thrown(faces)
        self._record(thrown)
        self._note(thrown)
        self._sound(Sound.ROLL)
        self._set(mode=Mode.ROLLING, rolled=apply(match, thrown), rolled_ns=self._now)

    def _press_while_rolling(self) -> None:
        if self._state.entry is None:
            self._reveal()
            return
        entry = self._state.entry.press(self._now)
        if entry is None:
            self._set(mode=Mode.READY, entry=None)
            self._refuse(self._words("Void: throw again"))
        else:
            self._set(entry=entry)

    def _hold_while_rolling(self) -> None:
        if self._state.entry is None:
            return
        if self._state.verdict.kind is not VerdictKind.OK:
            # No throw on wrong levers, whoever throws it.
            self._refuse(fault_text(self._state, self._words))
            return
        match = self._match
        entry = self._state.entry.enter()
        throw: Throw = entry.entered
        if entry.complete and turns.possible_throw(match.profile, match.turn, throw):
            self._set(entry=None)
            self._do(Thrown(throw))
            self._after_throw()
        elif entry.complete or not entry.entered[-1]:
            self._set(entry=replace(entry, entered=entry.entered[:-1], count=0))
            self._refuse(self._words("{throw} is no throw").format(throw="+".join(map(str, throw))))
        else:
            self._set(entry=entry)

    def _enter(self, dice: int, *, pressed: bool) -> None:
        """Begins to take in a throw of real dice; the press that begins it counts as its first."""
        profile = self._match.profile
        if profile.faces_matter or profile.draw is Draw.DOMINOES:
            entry = Entry(dice, profile.sides)
        else:
            entry = Entry(1, dice * profile.sides)
        self._set(mode=Mode.ROLLING, entry=(entry.press(self._now) or entry) if pressed else entry)

    def _reveal(self) -> None:
        if self._state.rolled is None:
            return
        self._set(match=self._state.rolled, rolled=None)
        self._after_throw()

    def _after_throw(self) -> None:
        match = self._match
        if match.stage is Stage.ADVANCE:
            self._turn_over()
            return
        answer = self._advisor.answer(match) if self._computer_plays else None
        self._set(mode=Mode.FLIPPING, answer=answer)
        self._levers_for_throw()

    def _turn_over(self) -> None:
        self._set(mode=Mode.TURN_OVER, verdict=FINE, answer=None)
        self._take_account()
        if self._match.result is not None:
            self._decided(self._match.result)
        self._sound(Sound.SHUT if self._match.turn.outcome is Outcome.SHUT else Sound.BLOCKED)

    def _decided(self, result: Result) -> None:
        self._record(Finished(self._match))
        sums = zip_longest(self._state.ledger, result.owes, fillvalue=Fraction(0))
        self._set(ledger=tuple(map(sum, sums)), signed=None)

    def _levers_for_throw(self) -> None:
        before = self._state.verdict
        verdict = self._judge()
        if verdict.kind is not VerdictKind.COMPLETE or verdict == before:
            return
        if verdict.move and verdict.move == self._match.turn.open:
            # Nothing is left to think about: the box is shut.
            self._do(Moved(verdict.move))
            self._turn_over()
            return
        self._sound(Sound.COMPLETE)
        if self._computer_plays:
            self._commit()

    def _commit(self) -> None:
        verdict, match = self._state.verdict, self._match
        if verdict.kind is VerdictKind.COMPLETE:
            self._do(Moved(verdict.move) if verdict.move else Reopened(verdict.tiles[0]))
        elif verdict.kind is VerdictKind.OK and self._may_pass(match):
            self._do(Moved(0))
        else:
            self._suspect_missing()
            self._refuse(commit_refusal(self._state, match, self._words))
            return
        # A move that shuts the box needs no press, so the turn goes on.
        after = self._match
        self._await_throw()
        choice = len(dice_allowed(after.profile, after.turn.open)) > 1
        entered = self._settings.real_dice or self._computer_plays
        if after.profile.turns is Turns.WHOLE and not choice and not entered:
            self._throw(one_die=False)

    def _suspect_missing(self) -> None:
        """A press that lacks one tile, whose lever has long shown nothing: was it flipped?"""
        match, flipped = self._match, self._state.verdict.move
        for answer in turns.answers(match.profile, match.turn):
            rest = answer & ~flipped
            if flipped & ~answer or rest.bit_count() != 1:
                continue
            health = self._state.health.get(rest.bit_length(), Health())
            if health.restless or health.idle >= SILENT_MOVES:
                self._set(dead=self._state.dead | rest)

    def _may_pass(self, match: Match) -> bool:
        return not turns.answers(match.profile, match.turn) and not turns.reopenings(
            match.profile, match.turn
        )

    def _hint(self) -> None:
        if not self._settings.hints:
            self._refuse(self._words("Hints are off"))
            return
        hint = self._advisor.hint(self._match)
        if hint is None or not hint.moves:
            self._refuse(self._words("No hint"))
            return
        self._set(hint=hint_lines(hint))

    def _next_player(self) -> None:
        self._do(Advanced())
        self._add_accounts()
        if self._match.stage is Stage.FINISHED:
            self._set(mode=Mode.MATCH_OVER, chosen_with=0)
            self._sound(Sound.WIN)
        else:
            self._await_throw()

    def _play_again(self) -> None:
        match = self._match
        # The levers may have been taken out of play, or put back, while the power was off.
        played = (game for game in self._settings.games if game.name == match.profile.name)
        match = begin(next(played, match.profile), match.players, match.rounds)
        self._record(Began(match, self._conditions(match)))
        self._set_up(match)
        self._await_throw()
