"""The owner's USB stick: what it offers, a question before anything is replaced, and how it went.

Anyone may look. Doing anything requires the owner's code, unless service was opened with the button inside
the box.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import AskStick
from shutthebox.game.messages import Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.owner_code import NO_CODE, ask_code, code_screen, forgive, is_code, wrong_code
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import follow_flicks, picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, refuse
from shutthebox.game.stick import NEEDS_RESTART, Stick, StickJob, StickOutcome
from shutthebox.game.targets import BackToAttract, OpenService, OpenStick


@dataclass(frozen=True, slots=True, eq=False)
class StickMode(BoxMode):
    """The list, or a question.

    Attributes:
        picker: the list, with the options of the stick that was in at the time.
        unlocked: the owner has identified themselves.
        asks_code: the box is asking for the owner's code.
        asking: the job the box is asking about; for an update, once that has been checked.
        awaits: the stick when the job was requested; while it hasn't changed, nothing is known yet.
        read: the stick whose outcome has been read.
        last: the outcome of a job whose stick is gone, until it has been read.
    """

    name: ClassVar[Mode] = Mode.STICK
    is_list: ClassVar[bool] = True
    takes_settings: ClassVar[bool] = False
    works_by_levers: ClassVar[bool] = True

    picker: Picker
    unlocked: bool = False
    asks_code: bool = False
    asking: StickJob | None = None
    awaits: Stick | None = None
    read: Stick | None = None
    last: Text | None = None

    def is_busy(self, stick: Stick) -> bool:
        """Whether a job is running, or was just requested."""
        return stick.doing is not None or self.awaits == stick

    def has_news(self, stick: Stick) -> bool:
        """Whether there's an unread outcome."""
        return stick.outcome is not None and self.read != stick

    def screen(self, shared: Shared) -> Screen:
        """The progress, the outcome, a question, or the list."""
        return self._face(shared).screen(shared)

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        """Chooses, answers yes to a question, or dismisses an outcome."""
        return self._face(context.shared).press(context)

    def hold(self, context: Context) -> Step[StickMode | BackToAttract]:
        """Leaves, or answers no to a question. A running job continues."""
        return self._face(context.shared).hold(context)

    def levers(self, context: Context) -> Step[StickMode]:
        """A flick chooses; without a list, levers do nothing."""
        return self._face(context.shared).levers(context)

    def service(self, context: Context) -> Step[BackToAttract]:
        """Leaves: the button that opens the list closes it, too."""
        return self.leave(context)

    def _face(self, shared: Shared) -> _Face:
        """The screen for the stick's state, the job's progress, or a question."""
        stick = shared.stick
        if stick is None:
            return _NoStick(self)
        if self.last is not None:
            return _LastOutcome(self)
        if self.is_busy(stick):
            return _Progress(self, stick)
        if self.asks_code:
            return _Code(self, stick)
        if self.asking is not None:
            return _Question(self, stick, self.asking)
        if self.has_news(stick):
            return _Outcome(self, stick)
        return _Offers(self, stick)

    def follow_stick(self, before: Stick | None, stick: Stick | None) -> StickMode:
        """Updates the list after a report from the helper: a request may be done, a question moot."""
        last: Text | None = None
        if before is not None and (stick is None or stick.is_out):
            if self.is_busy(before):
                last = _OUTCOMES[StickOutcome.UNSURE]("")
            elif self.has_news(before) and before.outcome not in NEEDS_RESTART:
                last = outcome_text(before)
        waits = self.asking is StickJob.UPDATE and before is not None and not before.checked
        is_on_its_way = (
            stick is not None and stick.outcome is None and (stick.checked or stick.doing is not None)
        )
        asking = self.asking if waits and is_on_its_way else None
        return replace(self, awaits=None, asking=asking, last=last)

    def current_picker(self, shared: Shared) -> Picker:
        """The list for the stick as it is now, with the cursor kept within it."""
        options = _options(shared.stick)
        return self.picker._replace(options=options, cursor=min(self.picker.cursor, len(options) - 1))

    def start(self, job: StickJob, stick: Stick) -> Step[StickMode]:
        """Asks the helper for a job."""
        return Step(replace(self, asking=None, awaits=stick, read=None), (AskStick(job),))


class _Face(ABC):
    """What the screen is about, and what the box does meanwhile."""

    def __init__(self, mode: StickMode) -> None:
        self.mode = mode

    @abstractmethod
    def screen(self, shared: Shared) -> Screen: ...

    @abstractmethod
    def press(self, context: Context) -> Step[StickMode | OpenService]: ...

    def hold(self, context: Context) -> Step[StickMode | BackToAttract]:
        return self.mode.leave(context)

    def levers(self, context: Context) -> Step[StickMode]:
        return Step(self.mode)


class _NoStick(_Face):
    """There's no stick; the outcome of a job whose stick is gone is still to be read."""

    def screen(self, shared: Shared) -> Screen:
        paragraph = _PUT_ONE_IN if self.mode.last is None else self.mode.last
        return Screen(
            self.mode.name, title=_TITLE, paragraph=paragraph, prompt=_BACK, also=(_LEAVE,), lit=True
        )

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        return Step(OpenService(self.mode.unlocked, past_stick=True))


class _LastOutcome(_NoStick):
    """The stick was removed and another one is in: a press closes the last outcome."""

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        return Step(replace(self.mode, last=None))


class _OfStick(_Face):
    def __init__(self, mode: StickMode, stick: Stick) -> None:
        super().__init__(mode)
        self.stick = stick


class _Progress(_OfStick):
    """Shows the progress of a running job."""

    def screen(self, shared: Shared) -> Screen:
        doing = _DOING[self.stick.doing] if self.stick.doing else _BUSY
        percent = self.stick.percent
        big: Text = "…" if percent is None else message("{percent} %", percent=percent)
        return Screen(self.mode.name, title=_TITLE, big=big, prompt=doing, also=(_LEAVE,), lit=False)

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        return refuse(self.mode, _BUSY)


class _Code(_OfStick):
    """The box asks for the owner's code."""

    def screen(self, shared: Shared) -> Screen:
        return code_screen(self.mode.name, _TITLE, shared)

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        mode = replace(self.mode, asks_code=False)
        if not context.shared.settings.code:
            return Step(mode)
        if not is_code(context.shared):
            return wrong_code(mode, context)
        return forgive(_Offers(replace(mode, unlocked=True), self.stick).choose(context), context)

    def hold(self, context: Context) -> Step[StickMode | BackToAttract]:
        return Step(replace(self.mode, asking=None, asks_code=False))


class _Question(_OfStick):
    """The box asks before something is replaced."""

    def __init__(self, mode: StickMode, stick: Stick, job: StickJob) -> None:
        super().__init__(mode, stick)
        self.job = job

    def screen(self, shared: Shared) -> Screen:
        yes, no = message("Press: yes"), message("Hold: no")
        question = question_of(self.job, self.stick)
        return Screen(self.mode.name, title=_TITLE, paragraph=question, prompt=yes, also=(no,), lit=True)

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        return self.mode.start(self.job, self.stick)

    def hold(self, context: Context) -> Step[StickMode | BackToAttract]:
        return Step(replace(self.mode, asking=None))


class _Outcome(_OfStick):
    """The latest job has ended, which nobody has read yet."""

    def screen(self, shared: Shared) -> Screen:
        restarts = self.stick.outcome in NEEDS_RESTART
        prompt = message("Press: restart") if restarts else _BACK
        later = (message("Hold: later"),) if restarts else ()
        news = outcome_text(self.stick)
        return Screen(self.mode.name, title=_TITLE, paragraph=news, prompt=prompt, also=later, lit=True)

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        read = replace(self.mode, read=self.stick)
        return read.start(StickJob.RESTART, self.stick) if self.stick.outcome in NEEDS_RESTART else Step(read)

    def hold(self, context: Context) -> Step[StickMode | BackToAttract]:
        return Step(replace(self.mode, read=self.stick))


class _Offers(_OfStick):
    """The list of jobs; its last line opens the owner's list."""

    def screen(self, shared: Shared) -> Screen:
        picker = self.mode.current_picker(shared)
        screen = picker_screen(self.mode.name, picker)
        if self.mode.unlocked or shared.settings.code or picker.cursor == len(self.stick.offers):
            return screen
        return screen._replace(prompt=NO_CODE, also=(message("Press: read"), *screen.also))

    def press(self, context: Context) -> Step[StickMode | OpenService]:
        if self.mode.current_picker(context.shared).cursor == len(self.stick.offers):
            return Step(OpenService(self.mode.unlocked, past_stick=True))
        if self.mode.unlocked:
            return self.choose(context)
        return ask_code(self.mode, replace(self.mode, asks_code=True), context)

    def choose(self, context: Context) -> Step[StickMode]:
        """Asks before replacing anything; saving replaces nothing."""
        cursor = self.mode.current_picker(context.shared).cursor
        if cursor >= len(self.stick.offers):
            return refuse(self.mode, message("No stick"))
        job = self.stick.offers[cursor]
        if job is StickJob.SAVE:
            return self.mode.start(job, self.stick)
        if job is StickJob.UPDATE and not self.stick.checked:
            step = self.mode.start(StickJob.INSPECT, self.stick)
            return step._replace(mode=replace(step.mode, asking=job))
        return Step(replace(self.mode, asking=job))

    def levers(self, context: Context) -> Step[StickMode]:
        picker, effects, why = follow_flicks(self.mode.current_picker(context.shared), context)
        return Step(replace(self.mode, picker=picker), effects, refusal=why)


_TITLE, _BACK, _LEAVE = message("Stick"), message("Press: back"), message("Hold: leave")

_PUT_ONE_IN = message(
    "No stick found. Put a USB stick (FAT or exFAT) into the box, and this list says what you can do with it."
)
_BUSY = message("One moment")


def _options(stick: Stick | None) -> tuple[Text, ...]:
    """The jobs on offer, then the owner's list."""
    return (*(_label(job, stick) for job in stick.offers if stick), message("Owner")) if stick else ()


def _label(job: StickJob, stick: Stick) -> Message:
    if job is not StickJob.UPDATE:
        return _LABELS[job]
    if not stick.version:
        return message("Update")
    if stick.earlier:
        return message("Earlier: {version}", version=stick.version)
    return message("Update to {version}", version=stick.version)


_LABELS: Mapping[StickJob, Message] = {
    StickJob.SAVE: message("Save"),
    StickJob.TAKE_OVER: message("Restore"),
    StickJob.SETTINGS: message("Settings"),
}

_DOING: Mapping[StickJob, Message] = {
    StickJob.SAVE: message("Saving"),
    StickJob.TAKE_OVER: message("Restoring"),
    StickJob.SETTINGS: message("Reading files"),
    StickJob.INSPECT: message("Checking update"),
    StickJob.UPDATE: message("Writing update"),
    StickJob.RESTART: message("Restarting"),
}


def question_of(job: StickJob, stick: Stick) -> Text:
    """The question asked before something is replaced."""
    if job is StickJob.TAKE_OVER:
        return message(
            "{name} replaces all matches, scores and settings on this box. The old ones are "
            "kept under another name.",
            name=stick.memory,
        )
    if job is StickJob.SETTINGS:
        return message("At the next start, the settings on the stick replace the box's own.")
    about = message("Version {version} is signed by the maker.", version=stick.version)
    if stick.earlier:
        about = message(
            "Version {version} is older than this one. It is signed by the maker.",
            version=stick.version,
        )
    if stick.forgets:
        about = message(
            "{before} It can't read the memory: scores are set aside until this version is back.",
            before=about,
        )
    if stick.unknown:
        keys = ", ".join(stick.unknown)
        about = message("{before} It doesn't know the settings {keys}.", before=about, keys=keys)
    return message("{before} The box plays on while it is written.", before=about)


def outcome_text(stick: Stick) -> Text:
    """How the latest job went, and what to do now."""
    assert stick.outcome is not None
    if stick.outcome is StickOutcome.BAD_SETTINGS:
        return "; ".join(stick.mistakes) or stick.detail
    return _OUTCOMES[stick.outcome](stick.detail)


_OUTCOMES: Mapping[StickOutcome, Callable[[str], Message]] = {
    StickOutcome.SAVED: lambda name: message(
        "Saved. The stick can be pulled out. The folder is {name}.", name=name
    ),
    StickOutcome.TAKEN_OVER: lambda name: message("The box has restored {name}.", name=name),
    StickOutcome.SETTINGS_TAKEN: lambda _: message(
        "The settings are fine. They take effect at the next start."
    ),
    StickOutcome.UPDATE_WRITTEN: lambda version: message(
        "Version {version} is ready. It runs from the next start; if it doesn't work, this "
        "version comes back by itself.",
        version=version,
    ),
    StickOutcome.FULL: lambda _: message("The stick is full. Nothing was saved."),
    StickOutcome.PROTECTED: lambda _: message("The stick is write-protected. Nothing can be saved on it."),
    StickOutcome.PULLED_OUT: lambda _: message("The stick was pulled out. Nothing has changed on the box."),
    StickOutcome.UNSURE: lambda _: message(
        "It was cut off at the very end, and may or may not be done. Do it again."
    ),
    StickOutcome.UNREADABLE: lambda _: message("The stick can't be read. Use one with FAT or exFAT."),
    StickOutcome.NO_ROOM: lambda _: message("The card of the box is full."),
    StickOutcome.BAD_MEMORY: lambda why: message(
        "This memory is no good: {why}. The box keeps its own.", why=why
    ),
    StickOutcome.BAD_UPDATE: lambda why: message("This update is no good: {why}.", why=why),
    StickOutcome.SAME_VERSION: lambda version: message(
        "This update is version {version}, which is already running.", version=version
    ),
    StickOutcome.UPDATE_FAILED: lambda why: message("The update wasn't written: {why}.", why=why),
    StickOutcome.FAILED: lambda why: message("That failed: {why}. Nothing has changed.", why=why),
}


def enter(target: OpenStick, context: Context) -> Step[StickMode]:
    """Opens the list at the top; opening it unlocked clears the count of wrong codes."""
    shared = context.shared
    picker = Picker(_TITLE, _options(shared.stick), 0, shared.settings.levers)
    step = Step(StickMode(picker, unlocked=target.unlocked))
    return forgive(step, context) if target.unlocked else step
