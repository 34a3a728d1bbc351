"""The box as a state machine: inputs go in one at a time, effects to carry out come out.

It has no clock: every input carries its time, and `deadline_ns` is when it wants the next `TimePassed`. Only
the machine changes the match. What an input does is a method of the mode (`shutthebox.game.modes.base`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shutthebox.game import lever_health
from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.dice import Dice
from shutthebox.game.effects import Effect, PlaySound, Show, Sound
from shutthebox.game.entrances import arrive
from shutthebox.game.facts import PageRules
from shutthebox.game.faults import Fault
from shutthebox.game.inputs import (
    CursorMoved,
    DeliveryReported,
    Deserted,
    FaultReported,
    FormInput,
    HealthChanged,
    Held,
    HeldLong,
    HeldOn,
    Input,
    LeaveAsked,
    LeversMoved,
    LinkReported,
    MemoryRead,
    ModeInput,
    NamesGiven,
    Pressed,
    RulesGiven,
    ServicePressed,
    SettingChosen,
    StickReported,
    TimePassed,
)
from shutthebox.game.lookups import Lookups, NoLookups
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.overlays import receiver
from shutthebox.game.play import MatchInPlay, add_review, tell_peer
from shutthebox.game.settings import Settings
from shutthebox.game.showing import build_show
from shutthebox.game.state import Context, Overlay, Shared, Step, ask_link, keep
from shutthebox.game.stick import NEEDS_RESTART, Stick
from shutthebox.game.stored_match import NO_MATCH, KeptMatch, NoMatch, StoredMatch, Unread
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.game.targets import BackToAttract, OpenService, Target
from shutthebox.game.tips import mark_tip_given
from shutthebox.game.wording import idle_text
from shutthebox.link.match import LinkedMatch
from shutthebox.link.requests import Leave, LinkReport, Peer, Received, Rejoin, Send
from shutthebox.odds.questions import AnswerReady, DiceReady, HintReady, OddsReady, ReviewReady
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MAX_PLAYERS, Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.writer import to_lines

_TELL_NS = 3_000_000_000
"""How long the other box of a linked match may stay silent before the state of the match is sent again."""

_REJOIN_NS = 10_000_000_000
"""How often the link helper is asked to look for the other box while that's out of reach."""


class State(NamedTuple):
    """The machine between two inputs."""

    shared: Shared
    mode: BoxMode

    @property
    def match(self) -> Match | None:
        """The match as far as the players have seen it; None if there's none."""
        return None if self.mode.seen is None else self.mode.seen.match


class Machine:
    """The game on the box.

    Args:
        settings: the owner's.
        dice: where throws come from.
        levers: the levers that are down now.
        t_ns: now, in nanoseconds on the same clock as all later inputs.
        stored: what the memory says of a match to continue; `MemoryRead` follows if it can't say yet.
        lookups: look-ups in the store, the calendar and the machine; None to find nothing.
        is_new: whether no match has been finished on this box yet.
        fault: a fault found before startup.
        notices: further lines of text for the owner.

    Example:
        A press in attract asks for the number of players.

        >>> from random import Random
        >>> from shutthebox.game.dice import RandomDice
        >>> from shutthebox.config.profiles import builtin
        >>> from shutthebox.config.schema import parse_config
        >>> config = parse_config("game.profile = 'pub'", "here")
        >>> settings = Settings((builtin("pub"),), config.game, config.box, config.display)
        >>> machine = Machine(settings, RandomDice(Random(1).randrange), 0, t_ns=0)
        >>> *_, show = machine.step(Pressed(), t_ns=1_000_000_000)
        >>> print(show.mode, show.screen.localize(str).title)
        setup Players?
    """

    def __init__(
        self,
        settings: Settings,
        dice: Dice,
        levers: Tiles,
        t_ns: int,
        *,
        stored: StoredMatch = NO_MATCH,
        lookups: Lookups | None = None,
        is_new: bool = False,
        fault: Fault | None = None,
        notices: Sequence[str] = (),
    ) -> None:
        self._dice, self._lookups = dice, lookups or NoLookups()
        self._now_ns = t_ns
        self._shared = Shared(
            settings,
            levers,
            touched_ns=t_ns,
            fault=fault,
            notices=tuple(notices),
            code_ns=t_ns,
            is_new=is_new,
        )
        context = self._context()
        begun: Step[Target] = Step(BackToAttract())
        if isinstance(stored, KeptMatch):
            begun = self._resume(stored)
        step = arrive(begun, context)
        self._mode: BoxMode = step.mode
        self._shared = step.shared or self._shared
        self._started = step.effects if isinstance(stored, Unread) else (*self._leave_lost(), *step.effects)

    def _resume(self, stored: KeptMatch) -> Step[Target]:
        # Imported lazily to keep startup fast.
        from shutthebox.game.resuming import resume

        return resume(stored, self._context())

    @property
    def state(self) -> State:
        """The state now."""
        return State(self._shared, self._mode)

    @property
    def settings(self) -> Settings:
        """The current settings, including what was chosen at the box."""
        return self._shared.own_settings

    @property
    def deadline_ns(self) -> int | None:
        """When `TimePassed` is due; None if nothing is scheduled."""
        due = (self._mode.deadline_ns(self._shared), self._deserted_ns, self._dwelt_ns, self._tell_ns)
        return min((ns for ns in due if ns is not None), default=None)

    def start(self) -> list[Effect]:
        """Returns the effects of switching on."""
        effects, self._started = self._started, ()
        return [*self._audible(effects), self._show()]

    def step(self, event: Input, t_ns: int) -> list[Effect]:
        """Handles one input.

        Args:
            event: what happened.
            t_ns: when it happened; never decreasing.

        Returns:
            The effects to carry out, in order; the last one shows the new state. An empty list for an
            input that changes nothing.
        """
        self._now_ns = max(t_ns, self._now_ns)
        match event:
            case TimePassed():
                return self._pass_time()
            case LeversMoved(down):
                return self._levers_moved(down)
            case HealthChanged(health):
                return self._health_changed(health)
            case FaultReported(fault):
                self._shared = self._shared._replace(fault=fault)
                return [self._show()]
            case DeliveryReported(undelivered):
                if undelivered is self._shared.undelivered:
                    return []
                self._shared = self._shared._replace(undelivered=undelivered)
                return [self._show()]
            case MemoryRead(found):
                return self._memory_read(found)
            case StickReported(stick):
                return self._stick_reported(stick)
            case LinkReported(report):
                return self._link_reported(report)
            case Pressed() | Held() | HeldLong() | ServicePressed():
                return self._button(event)
            case HeldOn(is_down):
                return self._held_on(is_down)
            case SettingChosen() | NamesGiven() | CursorMoved() | RulesGiven() | LeaveAsked():
                return self._form(event)
            case HintReady() | DiceReady() | AnswerReady() | ReviewReady():
                return self._odds_ready(event)

    def _button(self, event: ModeInput) -> list[Effect]:
        """Handles a gesture of the button, which wakes a sleeping box and answers "End the match?"."""
        self._shared = self._shared._replace(touched_ns=self._now_ns, holds_on=False)
        if not isinstance(event, ServicePressed):
            self._shared = self._shared._replace(unpressed=0)
        elif self._is_stranded and not self._shared.asleep:
            return self._open_service(unlocked=True)
        if not self._shared.asleep:
            self._shared = _mark_seen(self._shared, self._mode)._replace(refusal=None, stick_is_new=False)
            if isinstance(event, Pressed) and (seen := self._mode.seen) is not None:
                before, self._shared = (
                    self._shared,
                    lever_health.suspect_wrong(seen, self._context()),
                )
                faults = keep(*lever_health.new_faults(before, self._shared))
                return [*faults, *self._dispatch(event)]
        return self._dispatch(event)

    def _held_on(self, is_down: bool) -> list[Effect]:
        """Says what holding on leads to, and no longer what the hold did."""
        self._shared = self._shared._replace(holds_on=is_down, refusal=None)
        return [self._show()]

    def _levers_moved(self, down: Tiles) -> list[Effect]:
        before, ignored = self._shared, self._ignored()
        changed = down ^ before.levers
        if changed and not changed & ~ignored:
            # A lever out of play neither wakes the box nor chooses anything, however it rattles.
            self._shared = before._replace(levers=down)
            return []
        shared = before if before.asleep else _mark_seen(before, self._mode)
        in_play = changed & ~ignored
        knocks = lever_health.count_knocks(shared, down, in_play)
        self._shared = shared._replace(
            levers=down,
            touched_ns=self._now_ns,
            refusal=None,
            stuck=shared.stuck & ~changed,
            dead=shared.dead & ~changed,
            knocks=knocks,
            unpressed=min(
                shared.unpressed + self._mode.awaits_press * in_play.bit_count(), lever_health.SILENT_MOVES
            ),
            moved_ns=self._now_ns if shared.by_levers else None,
        )
        if knocks == lever_health.KNOCKS and (self._mode.name is Mode.ATTRACT or self._is_stranded):
            return self._open_service(unlocked=False)
        faults = keep(*lever_health.new_faults(before, self._shared))
        *effects, show = self._dispatch(LeversMoved(down), in_play)
        match, play = self.state.match, self._play
        if play is not None and play.linked is not None and play.is_ours:
            effects += ask_link(Send(play.linked.levers_message(down)))
        if match is None or self._shared.refusal is not None or (play is not None and not play.is_ours):
            return [*faults, *effects, show]
        if self._mode.name is Mode.ENTERING:  # there, any lever is a number
            return [*faults, *effects, show]
        if (refusal := idle_text(match, self._shared, in_play)) is not None:
            self._shared = self._shared._replace(refusal=refusal)
            show = self._show()
        return [*faults, *effects, show]

    @property
    def _is_stranded(self) -> bool:
        """Whether play can't continue because the dice button is broken."""
        return lever_health.dice_button_complaint(self._shared) is not None and not self._mode.works_by_levers

    def _open_service(self, *, unlocked: bool) -> list[Effect]:
        """Opens service, whatever the box is doing. A match in progress waits for the next startup."""
        self._shared = self._shared._replace(
            overlay=Overlay.NONE, refusal=None, knocks=0, by_levers=True, moved_ns=None
        )
        context = self._context()
        return [*self._take_step(arrive(Step(OpenService(unlocked=unlocked)), context)), self._show()]

    @property
    def _dwelt_ns(self) -> int | None:
        """When a lever left down counts as a press; None if it doesn't."""
        shared = self._shared
        if not shared.by_levers or shared.moved_ns is None or not shared.levers & ~self._ignored():
            return None
        return shared.moved_ns + lever_health.DWELL_NS

    def _pass_time(self) -> list[Effect]:
        deadline_ns, deserted_ns = self.deadline_ns, self._deserted_ns
        if deadline_ns is None or self._now_ns < deadline_ns:
            return []
        if (tell_ns := self._tell_ns) is not None and self._now_ns >= tell_ns:
            effects = self._tell_again()
            return [*effects, *self._pass_time()]
        if (dwelt_ns := self._dwelt_ns) is not None and self._now_ns >= dwelt_ns:
            self._shared = self._shared._replace(moved_ns=None, touched_ns=self._now_ns, refusal=None)
            return self._dispatch(Pressed())
        if deserted_ns is not None and self._now_ns >= deserted_ns:
            effects = self._give(Deserted())
            self._shared = self._shared._replace(overlay=Overlay.ASLEEP)
            return [*effects, *self._dispatch(TimePassed())]
        return self._dispatch(TimePassed())

    @property
    def _deserted_ns(self) -> int | None:
        """When the box counts as deserted; None if that would change nothing."""
        if self._shared.asleep or self._mode.keeps_awake:
            return None
        return self._shared.touched_ns + self.settings.sleep_ns

    def _health_changed(self, health: Mapping[int, ContactHealth]) -> list[Effect]:
        before = self._shared
        if health == before.health:
            return []
        after = self._shared = before._replace(health=health)
        known, found = lever_health.find_ailments(before), lever_health.find_ailments(after)
        if known == found and self._mode.name is not Mode.SERVICE:
            return []
        if found.get(DICE_BUTTON) not in (None, known.get(DICE_BUTTON)) and not after.asleep:
            # Nobody can answer its question any more.
            self._shared = after._replace(overlay=Overlay.NONE)
        return [*keep(*lever_health.new_faults(before, after)), self._show()]

    def _stick_reported(self, stick: Stick | None) -> list[Effect]:
        before = self._shared
        due = stick if stick is not None and stick.outcome in NEEDS_RESTART else before.due
        if stick is None and due is not None:
            stick = Stick(is_out=True, outcome=due.outcome, detail=due.detail)
        if stick == before.stick:
            return []
        is_new = stick is not None and before.stick_is_new
        self._shared = before._replace(stick=stick, due=due, stick_is_new=is_new)
        self._mode = self._mode.follow_stick(before.stick, stick)
        was_in = before.stick is not None and not (before.stick.is_card or before.stick.is_out)
        if stick is None or stick.is_card or stick.is_out or was_in:
            return [self._show()]
        # Somebody has just inserted it.
        overlay = Overlay.NONE if before.asleep else before.overlay
        self._shared = self._shared._replace(stick_is_new=True, overlay=overlay, touched_ns=self._now_ns)
        return [*self._audible((PlaySound(Sound.WAKE),)), self._show()]

    def _odds_ready(self, advice: OddsReady) -> list[Effect]:
        if isinstance(advice, ReviewReady) and (before := self._play) is not None:
            play = add_review(before, advice)
            if play != before:
                self._mode = self._mode.with_play(play)
                return [self._show()]
        context = self._context()
        return self._take_answer(self._mode.take_advice(advice, context), context)

    def _take_answer(self, step: Step[BoxMode | Target], context: Context) -> list[Effect]:
        """Takes a step of the mode that an answer was for; none if it came too late."""
        arrived = arrive(step, context)
        return [] if arrived == Step(self._mode) else [*self._take_step(arrived), self._show()]

    def _memory_read(self, found: KeptMatch | NoMatch) -> list[Effect]:
        """Resumes the match in a memory that couldn't be read before, once nobody plays another one."""
        if isinstance(found, NoMatch):
            return self._leave_lost()
        if self._mode.name is not Mode.ATTRACT:
            return []
        context = self._context()
        effects = self._take_step(arrive(self._resume(found), context))
        self._shared = self._shared._replace(overlay=Overlay.NONE, touched_ns=self._now_ns)
        return [*self._leave_lost(), *effects, self._show()]

    def _leave_lost(self) -> list[Effect]:
        """Tells the other box that this one has no match with it: it mustn't wait for one that got lost."""
        is_alone = self.settings.link is not None and self._linked is None
        return [*ask_link(Leave())] if is_alone else []

    def _link_reported(self, report: LinkReport) -> list[Effect]:
        """Handles what the link helper says, and what the other box says through it."""
        mode, context = self._mode, self._context()
        if isinstance(report, Received) and not self._shared.boxes and mode.name is not Mode.LINKING:
            # The players of a match that this box has left, or lost; one that waits in service isn't.
            return [*ask_link(Leave())]
        before = self._link_stands_at
        if isinstance(report, Received):
            effects = self._take_answer(mode.hear(report.message, context), context)
        else:
            effects = self._take_answer(mode.take_report(report, context), context)
        if not effects or self._link_stands_at == before:
            return effects
        # Somebody plays at the other box, which a dark panel shows, too.
        overlay = Overlay.NONE if self._shared.asleep else self._shared.overlay
        self._shared = self._shared._replace(overlay=overlay, touched_ns=self._now_ns)
        return [*effects[:-1], self._show()]

    @property
    def _link_stands_at(self) -> object:
        """How far two boxes have come, on the way to a match or in it."""
        if self._mode.name is Mode.LINKING:
            return type(self._mode)
        return self._linked and (len(self._linked.entries), bool(self._linked.next_commitment))

    @property
    def _play(self) -> MatchInPlay | None:
        """The match in progress; None without one."""
        return self._mode.match_in_play

    @property
    def _linked(self) -> LinkedMatch | None:
        """This box's log of the linked match in progress; None without one."""
        return self._play.linked if self._play is not None else None

    def _tell_peer(self) -> list[Effect]:
        """Says again how the match stands, unless the other box knows it all."""
        play = self._play
        if play is None or not play.awaits_answer:
            return []
        self._shared = self._shared._replace(sent_ns=self._now_ns)
        return [*tell_peer(play)]

    @property
    def _tell_ns(self) -> int | None:
        """When the other box has to be told again, or the helper asked again; None if it hasn't."""
        play, shared = self._play, self._shared
        if play is None or play.linked is None or shared.peer in (Peer.AWAY, Peer.LEFT):
            return None
        if shared.peer is Peer.OFFLINE:
            return shared.sent_ns + _REJOIN_NS
        return shared.sent_ns + _TELL_NS if play.awaits_answer else None

    def _tell_again(self) -> list[Effect]:
        linked = self._linked
        if self._shared.peer is not Peer.OFFLINE or linked is None:
            return self._tell_peer()
        self._shared = self._shared._replace(sent_ns=self._now_ns)
        return [*ask_link(Rejoin(linked.session))]

    def _form(self, event: FormInput) -> list[Effect]:
        """Handles what was done on the page's form instead of with the levers."""
        # Imported lazily, here and below, to keep startup fast.
        from shutthebox.game.letters import is_name

        shared = self._shared._replace(touched_ns=self._now_ns, overlay=Overlay.NONE, refusal=None)
        is_open = self._mode.takes_settings
        match event:
            case SettingChosen() if is_open:
                return self._setting_chosen(event, shared)
            case RulesGiven(rules) if is_open:
                return self._rules_given(rules, shared)
            case NamesGiven(names) if is_open and len(names) <= MAX_PLAYERS and all(map(is_name, names)):
                self._shared = shared._replace(names=names)
                return [self._show()]
            case CursorMoved(by) if self._mode.has_cursor and not self._shared.asleep:
                self._mode = self._mode.move_cursor(by)
                self._shared = shared
                return [*self._audible((PlaySound(Sound.CHOICE),)), self._show()]
            case LeaveAsked() if self._mode.asks_to_leave:
                self._shared = shared
                return self._dispatch(HeldLong())
        return []

    def _rules_given(self, rules: Profile, shared: Shared) -> list[Effect]:
        from shutthebox.game.menu_items import GAME

        try:
            self._shared = self._shared._replace(own_settings=self.settings.with_rules(rules))
        except ValueError:
            return []
        chosen = SettingChosen(GAME.key, rules.name)
        shared = shared._replace(own_settings=self.settings)
        return [*keep(PageRules("\n".join(to_lines(rules)))), *self._setting_chosen(chosen, shared)]

    def _setting_chosen(self, event: SettingChosen, shared: Shared) -> list[Effect]:
        """Applies a setting, unless the menu doesn't offer it. The players stay, and so do their names."""
        from shutthebox.game.menu_items import find_option

        found = find_option(self.settings, event.key, event.value)
        if found is None:
            return []
        item, index = found
        settings, facts = item.choose(self.settings, index)
        self._shared = shared = shared._replace(own_settings=settings)
        context = self._context()
        step = arrive(self._mode.setting(context), context)
        kept = (step.shared or shared)._replace(names=shared.names)
        return [*self._take_step(step._replace(shared=kept).preceded_by(*keep(*facts))), self._show()]

    def _dispatch(self, event: ModeInput, moved: Tiles = 0) -> list[Effect]:
        """Passes the input to the mode, or to what covers it, and shows what comes of it."""
        return [*self._give(event, moved), self._show()]

    def _give(self, event: ModeInput, moved: Tiles = 0) -> list[Effect]:
        context = self._context(moved)
        step = receiver(self._mode, self._shared).handle(event, context)
        return self._take_step(arrive(step, context))

    def _take_step(self, step: Step[BoxMode]) -> list[Effect]:
        before, self._mode = self._mode, step.mode
        shared = (step.shared or self._shared)._replace(refusal=step.refusal)
        if shared.by_levers and not step.mode.works_by_levers:
            shared = shared._replace(by_levers=False, moved_ns=None)
        if shared.overlay is Overlay.ABANDON and not step.mode.asks_to_leave:
            shared = shared._replace(overlay=Overlay.NONE)  # the match to end is over
        self._shared = mark_tip_given(before, step.mode, shared)
        return self._audible(step.effects)

    def _audible(self, effects: Sequence[Effect]) -> list[Effect]:
        """The effects, without sounds if the box is muted."""
        if self.settings.box.sound:
            return list(effects)
        return [effect for effect in effects if not isinstance(effect, PlaySound)]

    def _context(self, moved: Tiles = 0) -> Context:
        return Context(self._now_ns, self._shared, self._dice, self._lookups, moved)

    def _ignored(self) -> Tiles:
        """The levers to ignore: those out of play, except in service and in a match begun with them."""
        if self._mode.reads_all_levers:
            return 0
        match = self.state.match
        return self.settings.out & ~(match.game.starting if match else 0)

    def _show(self) -> Show:
        return build_show(self._mode, self._shared, self._now_ns)


def _mark_seen(shared: Shared, mode: BoxMode) -> Shared:
    """Marks the fault shown in attract mode as seen, once somebody touches the box there."""
    return shared._replace(fault=None, notices=()) if mode.name is Mode.ATTRACT else shared
