"""The box as a machine: gestures and settled levers in, effects out.

It knows no clock: every input carries its time, and `deadline_ns` says when the machine wants
to be told that time has passed. It owns the match; nothing else changes it. Which input does
what in which mode is in the table of `shutthebox.game.modes`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest

from shutthebox.game import menu
from shutthebox.game.button import Gesture
from shutthebox.game.dice import Dice
from shutthebox.game.effects import (
    Began,
    Chosen,
    Effect,
    Fact,
    Finished,
    Left,
    Play,
    Record,
    Settled,
    Show,
    Signed,
    Sound,
)
from shutthebox.game.entry import Entry
from shutthebox.game.judge import FINE, Verdict, VerdictKind, judge
from shutthebox.game.menu import Translate
from shutthebox.game.mode import Mode
from shutthebox.game.modes import TABLE, Input
from shutthebox.game.picker import Picker
from shutthebox.game.screens import build_screen, commit_refusal, open_tiles, refusal_text, verdict_text
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, Reopened, Thrown, apply
from shutthebox.rules.match import Match, Result, Stage, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.profile import Draw, Turns
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.rules.turn import Outcome

TUMBLE_NS = 800_000_000
"""How long the dice tumble; a press shows them at once."""


INITIALS = 3
"""Letters that a winner signs with."""


class Machine:
    """The game on the box.

    Args:
        settings: what the owner has settled.
        words: per language, how a text is translated.
        dice: where throws come from.
        levers: the levers that are down now.
        t_ns: now.
        match: a match to go on with, as it was kept; None to wait for players.
        ledger: per player the stakes owed from earlier matches; negative: to get.
        statistics: gives the lines of the statistics screen.
    """

    def __init__(
        self,
        settings: Settings,
        words: Mapping[str, Translate],
        dice: Dice,
        levers: Tiles,
        t_ns: int,
        match: Match | None = None,
        ledger: Sequence[Fraction] = (),
        statistics: Callable[[Translate], Sequence[str]] = lambda words: (),
    ) -> None:
        self._settings = settings
        self._all_words = words
        self._dice = dice
        self._now = self._touched_ns = t_ns
        self._effects: list[Effect] = []
        self._flipped = self._lifted = 0
        self._statistics = statistics
        self._state = State(Mode.ATTRACT, levers, ledger=tuple(ledger))
        if match is not None:
            self._resume(match)

    @property
    def state(self) -> State:
        """What the machine remembers now."""
        return self._state

    @property
    def settings(self) -> Settings:
        """The settings now, choices made at the box included."""
        return self._settings

    @property
    def deadline_ns(self) -> int | None:
        """When `elapse` next has something to do; None if nothing will happen by itself."""
        state = self._state
        if state.mode is Mode.ROLLING and state.rolled is not None:
            return state.rolled_ns + TUMBLE_NS
        return None if state.asleep else self._touched_ns + self._settings.sleep_ns

    def start(self) -> list[Effect]:
        """The effects of being switched on."""
        return self._finish()

    def move_levers(self, down: Tiles, t_ns: int) -> list[Effect]:
        """The levers that are down have changed, and stand now as `down` says."""
        self._now = self._touched_ns = t_ns
        before, self._state = self._state, replace(self._state, levers=down)
        if before.asleep:
            self._wake()
        self._set(notice="")
        self._flipped, self._lifted = down & ~before.levers, before.levers & ~down
        self._dispatch(Input.LEVERS)
        return self._finish()

    def gesture(self, gesture: Gesture, t_ns: int) -> list[Effect]:
        """The button has been pressed or held."""
        self._now = self._touched_ns = t_ns
        if self._state.asleep:
            self._wake()
            return self._finish()
        self._set(notice="")
        if gesture is Gesture.LONG_HOLD:
            self._set(offering=(self._state.mode, Input.ABANDON) in TABLE)
        elif self._state.offering:
            self._set(offering=False)
            if gesture is Gesture.PRESS:
                self._dispatch(Input.ABANDON)
        else:
            self._dispatch(Input.PRESS if gesture is Gesture.PRESS else Input.HOLD)
        return self._finish()

    def elapse(self, t_ns: int) -> list[Effect]:
        """Time has passed; to be called when `deadline_ns` is reached, and harmless at any time."""
        self._now = t_ns
        deadline = self.deadline_ns
        if deadline is None or t_ns < deadline:
            return []
        if self._state.mode is not Mode.ROLLING or self._state.rolled is None:
            self._set(asleep=True, notice="", offering=False)
        self._dispatch(Input.TIME)
        return self._finish()

    # The frame round every input.

    def _set(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]

    def _dispatch(self, given: Input) -> None:
        before = self._state.mode
        row = TABLE.get((before, given))
        if row is None:
            return
        handler, targets = row
        method: Callable[[], None] = getattr(self, f"_{handler}")
        method()
        after = self._state.mode
        assert after is before or after in targets, f"{before} leads to {after} on {given}, not in the table"

    def _finish(self) -> list[Effect]:
        state = self._state
        match = state.match
        self._effects.append(
            Show(
                screen=build_screen(state, self._settings, self._words),
                t_ns=self._now,
                mode=state.mode,
                player=match.player + 1 if match else None,
                open=open_tiles(match),
                throw=match.turn.throw if match and state.mode is not Mode.ROLLING else None,
                verdict=str(state.verdict),
                scores=match.scores if match else (),
                totals=match.totals if match else (),
                owes=state.ledger,
                winners=tuple(i + 1 for i in match.result.winners) if match and match.result else (),
                asleep=state.asleep,
            )
        )
        effects, self._effects = self._effects, []
        return effects

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
        verdict = judge(self._match.profile, self._match.turn, self._state.levers)
        if verdict != self._state.verdict and verdict.kind in (
            VerdictKind.PUT_BACK,
            VerdictKind.LIFT,
            VerdictKind.OVER,
            VerdictKind.DEAD_END,
        ):
            self._sound(Sound.FAULT)
        self._set(verdict=verdict)
        return verdict

    # Attract, menu and setup.

    def _start(self) -> None:
        if self._settings.usual:
            self._begin()
            return
        first = menu.setup_questions(self._settings)[0]
        picker = menu.question(first, self._settings, self._words)
        self._set(mode=Mode.SETUP, item=first, picker=picker, chosen_with=0)

    def _open_menu(self) -> None:
        picker = menu.menu(self._settings, self._words, self._state.ledger)
        self._set(mode=Mode.MENU, item="", picker=picker, chosen_with=0)

    def _levers_put_back(self) -> tuple[int, ...]:
        """The levers that have been flipped and put back by this change: each is a choice."""
        started = self._state.chosen_with
        self._set(chosen_with=(started | self._flipped) & ~self._lifted)
        chosen = to_numbers(self._lifted & started)
        if chosen:
            self._sound(Sound.CHOICE)
        return chosen

    def _choose(self) -> None:
        picker = self._state.picker
        assert picker is not None, "menu and setup have a picker"
        for lever in self._levers_put_back():
            picker = picker.choose(lever)
        self._set(picker=picker)

    def _take_choice(self) -> str | int | bool:
        picker = self._state.picker
        assert picker is not None, "menu and setup have a picker"
        self._settings, value = menu.choose(self._state.item, picker.cursor, self._settings)
        return value

    def _confirm_menu(self) -> None:
        picker = self._state.picker
        assert picker is not None, "the menu has a picker"
        item = self._state.item
        if not item:
            item = menu.items(self._state.ledger)[picker.cursor]
            self._set(item=item, picker=self._question(item))
            return
        if item == menu.SETTLE:
            if picker.cursor:
                self._record(Settled())
                self._set(ledger=())
        elif item != menu.STATISTICS:
            value = self._take_choice()
            self._record(Chosen(item, value))
        self._leave_menu()

    def _question(self, item: str) -> Picker:
        if item == menu.STATISTICS:
            lines = tuple(self._statistics(self._words)) or ("-",)
            return Picker(self._words("Statistics"), lines, 0, self._settings.levers)
        return menu.question(item, self._settings, self._words)

    def _leave_menu(self) -> None:
        if self._state.item:
            picker = menu.menu(self._settings, self._words, self._state.ledger, self._state.item)
            self._set(item="", picker=picker)
        else:
            self._set(mode=Mode.ATTRACT, picker=None)

    def _confirm_setup(self) -> None:
        self._take_choice()
        questions = menu.setup_questions(self._settings)
        at = questions.index(self._state.item) + 1
        if at == len(questions):
            self._begin()
        else:
            item = questions[at]
            self._set(item=item, picker=menu.question(item, self._settings, self._words))

    def _back_in_setup(self) -> None:
        questions = menu.setup_questions(self._settings)
        at = questions.index(self._state.item) - 1
        if at < 0:
            self._set(mode=Mode.ATTRACT, picker=None, item="")
        else:
            item = questions[at]
            self._set(item=item, picker=menu.question(item, self._settings, self._words))

    def _give_up_waiting(self) -> None:
        if self._state.match is not None:
            self._record(Left())
        self._set(mode=Mode.ATTRACT, picker=None, item="", match=None)

    # A match.

    def _begin(self) -> None:
        settings = self._settings
        match = begin(settings.profile, settings.players, settings.rounds)
        self._record(Began(match))
        self._set(match=match, picker=None, item="", signed=None)
        self._await_throw()

    def _resume(self, match: Match) -> None:
        """Goes on with a kept match: the levers are judged as they are."""
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

    def _await_throw(self) -> None:
        """Raise until the levers fit the player's row, then ready."""
        verdict = self._judge()
        self._set(mode=Mode.READY if verdict.kind is VerdictKind.OK else Mode.RAISE)

    def _do(self, action: Action) -> None:
        self._record(action)
        self._set(match=apply(self._match, action))

    def _leave_match(self) -> None:
        self._record(Left())
        self._set(mode=Mode.ATTRACT, match=None, rolled=None, entry=None, verdict=FINE)

    def _levers_before_throw(self) -> None:
        verdict = self._judge()
        if self._state.mode is Mode.RAISE and verdict.kind is VerdictKind.OK:
            self._set(mode=Mode.READY)

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
            self._refuse(verdict_text(self._state.verdict, self._words))
            return
        match = self._match
        dice = 1 if one_die else dice_allowed(match.profile, match.turn.open)[0]
        if self._settings.real_dice:
            self._enter(dice, pressed=not one_die)
            return
        if match.profile.draw is Draw.DOMINOES:
            faces = self._dice.draw(turns.bag(match.turn))
        else:
            faces = self._dice.throw(dice, match.profile.sides)
        # Kept before it is seen: pulling the plug gives no second chance at a throw.
        thrown = Thrown(faces)
        self._record(thrown)
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
        self._set(mode=Mode.FLIPPING)
        self._levers_for_throw()

    def _turn_over(self) -> None:
        self._set(mode=Mode.TURN_OVER, verdict=FINE)
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
        else:
            self._sound(Sound.COMPLETE)

    def _commit(self) -> None:
        verdict, match = self._state.verdict, self._match
        if verdict.kind is VerdictKind.COMPLETE:
            self._do(Moved(verdict.move) if verdict.move else Reopened(verdict.tiles[0]))
        elif verdict.kind is VerdictKind.OK and self._may_pass(match):
            self._do(Moved(0))
        else:
            self._refuse(commit_refusal(verdict, match, self._words))
            return
        # A move that shuts the box needs no press, so the turn goes on.
        after = self._match
        self._await_throw()
        choice = len(dice_allowed(after.profile, after.turn.open)) > 1
        if after.profile.turns is Turns.WHOLE and not choice and not self._settings.real_dice:
            self._throw(one_die=False)

    def _may_pass(self, match: Match) -> bool:
        return not turns.answers(match.profile, match.turn) and not turns.reopenings(
            match.profile, match.turn
        )

    def _hint(self) -> None:
        self._refuse(self._words("Hints are off"))

    def _next_player(self) -> None:
        self._do(Advanced())
        if self._match.stage is Stage.FINISHED:
            self._set(mode=Mode.MATCH_OVER, chosen_with=0)
            self._sound(Sound.WIN)
        else:
            self._await_throw()

    def _play_again(self) -> None:
        match = self._match
        match = begin(match.profile, match.players, match.rounds)
        self._record(Began(match))
        self._set(match=match, signed=None)
        self._await_throw()

    # The winner's initials.

    def _levers_after_match(self) -> None:
        if self._state.signed is None and set(self._levers_put_back()) & {1, 2}:
            self._set(mode=Mode.INITIALS, signed="", letter="A")

    def _change_letter(self) -> None:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        at = letters.index(self._state.letter)
        for lever in self._levers_put_back():
            at += {1: -1, 2: 1}.get(lever, 0)
        self._set(letter=letters[at % len(letters)])

    def _take_letter(self) -> None:
        signed = (self._state.signed or "") + self._state.letter
        self._set(signed=signed, letter="A")
        if len(signed) == INITIALS:
            result = self._match.result
            assert result is not None, "only a winner signs"
            self._record(Signed(result.winners[0], signed))
            self._set(mode=Mode.MATCH_OVER)

    def _leave_initials(self) -> None:
        self._set(mode=Mode.MATCH_OVER, signed=None)
