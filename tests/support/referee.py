"""An independent referee of any game: looks on at one box and finds its faults.

It keeps an account of the match (`tests.support.account`) from what the box says it has kept, with the games
restated in `tests.support.games`, and compares every screen, sound and fact with it. It knows the levers and
the button from their settled switches alone, as the box does.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from tests.support import oracle
from tests.support.account import Account, Row
from tests.support.games import differences
from tests.support.oracle import Row as Set
from tests.support.oracle import verdict_on

from doctools.diagram import transitions
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Effect, Keep, PlaySound, Show
from shutthebox.game.facts import Began, BestTotal, ClockShown, Faulted, Finished, PlayersLeft, Resumed
from shutthebox.game.judge import VerdictKind
from shutthebox.game.mode import Mode
from shutthebox.game.play import TUMBLE_NS
from shutthebox.game.screen import TileState
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.rules import record as records
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import to_numbers
from shutthebox.translations import localize_screen, translations

HOLD_NS = 800_000_000
LONG_HOLD_NS = 10_000_000_000
SOUNDS_LAST_NS = 3_000_000_000
"""After an input the dice may be thrown, tumble and end the turn; then the box is quiet."""
MAX_SOUNDS = 6

BETWEEN = (Mode.ATTRACT, Mode.MENU, Mode.SETUP, Mode.NAMING, Mode.ROLL_OFF, Mode.SERVICE, Mode.PUZZLE)
"""The modes without a match."""

CAPTAIN = {code: words("Captain!").rstrip("! \u00a0\u202f") for code, words in translations().items()}
"""The title of somebody who shuts the box in the first turn of a match, by language."""

_WAYS = frozenset((a, b) for a, _, b in transitions())
WAYS = _WAYS | {(a, c) for a, b in _WAYS for over, c in _WAYS if b == over == "abandon"}
"""The ways from mode to mode that the machine's modes have; a match is abandoned after a question."""


def _kept(show: Show) -> tuple[object, ...]:
    """The part of a show that a power cut must not change."""
    return (
        show.scene.player,
        show.scene.open,
        show.scene.throw,
        show.scene.scores,
        show.scene.totals,
        show.scene.winners,
    )


def add_fields(to: Any, other: Any) -> None:
    """Adds the counts of another of the same dataclass, field by field."""
    for entry in fields(to):
        setattr(to, entry.name, getattr(to, entry.name) + getattr(other, entry.name))


@dataclass
class Seen:
    """The counts of what the referee has seen; `checks` counts every comparison made."""

    throws: int = 0
    thrown_shown: int = 0
    thrown_left: int = 0
    begun: int = 0
    finished: int = 0
    left: int = 0
    cuts: int = 0
    checks: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    modes: Counter[str] = field(default_factory=Counter)
    ways: Counter[tuple[Mode, Mode]] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)
    rows: Counter[int] = field(default_factory=Counter)
    players: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Seen") -> None:
        """Counts another's as well."""
        add_fields(self, other)


class Referee:
    """Looks on at one box.

    Args:
        answer: the tiles that the computer has chosen to shut; None while a person plays.
        computers: the seats, from 1, that the computer plays.
        out: the levers that the owner has taken out of play.
        levers: how many the box has.
        sleep_ns: after so long without an input the box sleeps.
        seen: what is counted.
    """

    def __init__(
        self,
        answer: Callable[[], int | None],
        computers: Callable[[], tuple[int, ...]],
        out: Callable[[], int],
        levers: int,
        sleep_ns: int,
        seen: Seen,
    ) -> None:
        self._box = levers
        self._answer, self._computers, self._out = answer, computers, out
        self._sleep_ns, self.seen = sleep_ns, seen
        self.down: Set = frozenset()
        self.playing = False
        self.show: Show | None = None
        self._before_cut: Show | None = None
        self.facts = 0
        self._thrown: tuple[int, ...] | None = None
        self._input_ns = self._touched_ns = self._sounds = self._clock_ns = self._used_ns = 0
        self._pressed_ns = self._released_ns = -1
        self._short = self._threw = False

    def _must(self, what: str, holds: bool, *found: object) -> None:
        self.seen.checks[what] += 1
        assert holds, f"{what}: " + " ".join(map(str, found))

    # Events.

    def watch(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Checks one effect or settled switch of the box.

        Raises:
            AssertionError: if it was wrong; the text says what is right.
        """
        match what:
            case SwitchChanged(switch, active):
                self._switched(switch, active, t_ns)
            case PlaySound(sound):
                self._sounds += 1
                quiet = t_ns - self._input_ns <= SOUNDS_LAST_NS and self._sounds <= MAX_SOUNDS
                self._must("sounds end", quiet, sound, "is number", self._sounds, "since the last input")
            case Keep(Began(match)):
                between = not self.playing or self._match.phase == "match-over"
                # The last player who stays without a name begins by a hold.
                by_hand = self._press(t_ns) or (self._hold(t_ns) and self._naming)
                self._must("a press begins", by_hand and between, "a match begins by itself")
                self._begin(match)
            case Keep(PlayersLeft()):
                self._leave(t_ns)
            case Keep(Finished(match)):
                self._reveal()
                self._finished(match)
            case Keep(Thrown(faces) as action):
                self._throw(faces, t_ns)
                self._actions.append(action)
            case Keep(BestTotal(_, value)):
                self._reveal()
                climbed = self._profile.is_solo and self._match.over and bool(self._match.winners)
                self._must("the ladder's best", climbed and value == self._match.totals[0], what.fact)
            case Keep(Moved() | Reopened() | OutOfTime() | Advanced() as action):
                self._reveal()
                self._act(action, t_ns)
                self._actions.append(action)
            case Keep(Resumed()):
                self._must("a match goes on", self.playing, what.fact, "without one")
            case Keep(Faulted()):
                self._must("faults are told, not made", t_ns >= self._input_ns, what.fact)
            case Keep(ClockShown(seconds)):
                left_ns = self._clock_ns + ((self._profile.turn_seconds or 0) - seconds) * 1_000_000_000
                self._must("the clock is right", 0 <= t_ns - left_ns <= 2 * TUMBLE_NS, seconds)
                self._used_ns = t_ns - self._clock_ns
            case Keep():
                by_hand = self._press(t_ns) or (self._hold(t_ns) and self._in_menu)
                self._must("the button chooses", by_hand, what.fact, "without the button")
            case Show():
                self._check(what, t_ns)
        if isinstance(what, Keep):
            self.facts += 1

    def restarted(self, down: Set, t_ns: int) -> None:
        """The box has lost its power; these levers are down, and the next show is its first."""
        # A lever that had moved and not yet settled is seen at once by the box that starts.
        self._before_cut = self.show if down == self.down else None
        self.down, self.show = down, None
        self.seen.cuts += 1
        self._reveal()
        self._input_ns = self._touched_ns = t_ns
        self._clock_ns, self._sounds = t_ns - self._used_ns, 0
        self._pressed_ns = self._released_ns = -1

    def _switched(self, switch: int, active: bool, t_ns: int) -> None:
        self._input_ns, self._sounds = t_ns, 0
        if switch != DICE_BUTTON:
            if not self._out_of_play(switch):
                self._touched_ns = t_ns
            self.down = self.down | {switch} if active else self.down - {switch}
        elif active:
            self._pressed_ns, self._threw = t_ns, False
        else:
            self._short = self._pressed_ns >= 0 and t_ns - self._pressed_ns < HOLD_NS
            self._touched_ns = t_ns if self._short else self._touched(t_ns)
            self._released_ns, self._pressed_ns = t_ns, -1

    def _out_of_play(self, lever: int) -> bool:
        """Nothing comes of it, however it rattles; except in service, and in a match that has its tile."""
        in_service = self.show is not None and self.show.mode is Mode.SERVICE
        played = self.playing and lever in oracle.start(self._profile, oracle.NO_SEAT)
        return lever in to_numbers(self._out()) and not in_service and not played

    def _touched(self, t_ns: int) -> int:
        """When the last gesture was made, or the last lever moved: since then nobody has been there."""
        if self._pressed_ns >= 0:
            for hold_ns in (LONG_HOLD_NS, HOLD_NS):
                if t_ns - self._pressed_ns >= hold_ns:
                    return max(self._touched_ns, self._pressed_ns + hold_ns)
        return self._touched_ns

    def _press(self, t_ns: int) -> bool:
        return self._short and t_ns == self._released_ns and not self._slept

    def _hold(self, t_ns: int) -> bool:
        return self._pressed_ns >= 0 and t_ns == self._pressed_ns + HOLD_NS and not self._slept

    @property
    def _in_menu(self) -> bool:
        return self.show is not None and self.show.mode is Mode.MENU

    @property
    def _naming(self) -> bool:
        return self.show is not None and self.show.mode in (Mode.SETUP, Mode.NAMING)

    @property
    def _slept(self) -> bool:
        """The box was asleep: an input only wakes it."""
        return self.show is not None and self.show.asleep

    # The match.

    def _begin(self, match: Match) -> None:
        wrong = differences(match.game)
        self._must("the game of the rule sheets", not wrong, match.game.name, *wrong)
        self._match, self._profile, self._rounds_wanted = Account(match), match.game, match.rounds
        row = match.game.tiles[-1]
        both_rows = match.game.rows == 2 and self._box >= 2 * row
        self._back = row if both_rows and not self._out() >> row else 0
        self.playing, self._thrown, self._decided = True, None, False
        self.seen.begun += 1
        self._actions: list[Action] = []

    def _leave(self, t_ns: int) -> None:
        assert self.show is not None
        ended = self.show.mode in (Mode.MATCH_OVER, Mode.INITIALS)
        slept = t_ns - self._touched(t_ns) >= self._sleep_ns
        allowed = ended and (slept or self._hold(t_ns))
        self._must("a match is left on purpose", allowed or self._press(t_ns), "left in", self.show.mode)
        if self._thrown is not None:
            self.seen.thrown_left += 1
            self._thrown = None
        self.playing = False
        self.seen.left += 1

    def _throw(self, faces: tuple[int, ...], t_ns: int) -> None:
        match, profile = self._match, self._profile
        self.seen.throws += 1
        self.seen.games[profile.name.partition("-on-")[0]] += 1
        self.seen.rows[len(profile.tiles)] += 1
        self.seen.players[match.players] += 1
        on_the_table = match.phase != "throw" or self._thrown is not None
        self._must("one throw at a time", self.playing and not on_the_table, faces, "thrown in", match.phase)
        by_hand = (self._press(t_ns) or self._hold(t_ns)) and not self._threw
        self._must("no throw without a press", by_hand or self._computers_turn, faces, "thrown by nobody")
        self._threw = True
        self._must("no throw on wrong levers", self.verdict() == "ok", faces, "thrown with", self.verdict())
        possible = match.can_show(faces)
        if len(faces) == 1 and not profile.faces_matter:  # a total, entered by hand
            counts = oracle.dice_counts(profile, match.row.open, match.row.behind)
            possible |= any(dice <= faces[0] <= dice * profile.sides for dice in counts)
        self._must("a throw that dice can show", possible, faces, "with", sorted(match.row.open), "open")
        self._thrown = faces
        if match.row.throws == 0 or profile.turns.value != "whole":
            self._clock_ns, self._used_ns = t_ns, 0

    def _reveal(self) -> None:
        """The dice have stopped tumbling."""
        if self._thrown is not None:
            self._match.take(Thrown(self._thrown))
            self._thrown = None
            self.seen.thrown_shown += 1

    @property
    def _computers_turn(self) -> bool:
        return self._match.at + 1 in self._computers()

    def _act(self, action: Action, t_ns: int) -> None:
        match, by_hand = self._match, self._press(t_ns)
        row, legal = match.row, match.legal()
        lifted, too_soon, flipped = self._levers()
        lifted |= too_soon
        match action:
            case OutOfTime():
                late_ns = t_ns - self._clock_ns - (self._profile.turn_seconds or 0) * 1_000_000_000
                runs = match.clock_runs and not self._computers_turn
                self._must("a clock runs", runs, match.phase, row.throws)
                # It runs from where the first throw is seen, and waits for one that tumbles.
                self._input_ns, self._sounds = t_ns, 0
                self._must("time is over in time", 0 <= late_ns <= 2 * TUMBLE_NS, late_ns, "ns late")
            case Moved(shut):
                tiles = frozenset(to_numbers(shut))
                good = tiles in legal or (not tiles and match.passes())
                self._must("tiles shut by legal moves only", good, sorted(tiles), "for", row.throw)
                self._must("what the levers show is committed", tiles == flipped and not lifted, action)
                pressed = by_hand or self._computers_turn or (tiles == row.open and not row.behind)
                self._must("a press commits", pressed, action, "without a press")
            case Reopened(tile):
                self._must("a tile opens by the rules only", match.reopens(), action)
                right = lifted == {tile} and not flipped and (self._computers_turn or by_hand)
                self._must("what the levers show is committed", right, action)
            case _:
                self._must("a press goes on", match.phase == "turn-over" and by_hand, "next in", match.phase)
        match.take(action)

    def _finished(self, match: Match) -> None:
        result = match.result
        assert result is not None
        self._must(
            "the right winner", result.winners == self._match.winners, result.winners, self._match.winners
        )
        self._must("the captain", result.captain == self._match.captain, "in the first turn")
        self._must("the right stakes", list(result.owes) == self._match.owes, result.owes, self._match.owes)
        self.seen.finished += not self._decided  # after a power cut it is said again
        self._decided = True
        kept = records.Record(self._profile, self._match.players, self._rounds_wanted, tuple(self._actions))
        again = records.replay(records.parse(records.write(kept), "kept", builtin))[-1]
        same = (list(again.totals), list(again.scores)) == (self._match.totals, self._match.scores)
        same &= again.result is not None and again.result.winners == self._match.winners
        self._must("the record plays again to the same scores", same, again.totals, again.scores)

    # Screens.

    def _lever(self, row: Row, tile: int) -> int:
        """The lever that is flipped to shut a tile now."""
        return tile if tile in row.behind else tile + self._back

    def _levers(self) -> tuple[Set, Set, Set]:
        """The levers that must be down and are not, those down too soon, and the tiles flipped.

        Where a box has levers for both rows, those of the back row come after all those in front.
        """
        row, start = self._match.row, self._match.start
        if not self._back:
            return start - row.open - self.down, frozenset(), self.down & row.open
        front, back = row.behind, {tile + self._back for tile in row.open}
        levers = start | {tile + self._back for tile in start}
        too_soon = frozenset(tile + self._back for tile in row.behind) & self.down
        flipped = frozenset(tile for tile in row.open if self._lever(row, tile) in self.down)
        return frozenset(levers - front - back - self.down), too_soon, flipped

    def verdict(self) -> str:
        """The right verdict on the levers."""
        if not self.playing or self._match.phase in ("turn-over", "match-over"):
            return "ok"
        match = self._match
        row, legal, reopens = match.row, match.legal(), match.reopens()
        throw = row.throw if match.phase == "answer" else None
        lifted, too_soon, flipped = self._levers()
        if self._back and lifted:
            return "put-back " + " ".join(map(str, sorted(lifted)))
        if too_soon or (self._back and flipped and throw is None):
            wrong = too_soon or {self._lever(row, tile) for tile in flipped}
            return "lift " + " ".join(map(str, sorted(wrong)))
        down = self.down & match.start if not self._back else match.start - row.open | flipped
        answer = self._answer() if match.phase == "answer" else None
        if answer is not None:
            chosen = frozenset(to_numbers(answer))
            if reopens and not down & row.open and lifted - chosen:
                return "put-back " + " ".join(map(str, sorted(lifted - chosen)))
            legal = frozenset({chosen})
        return verdict_on(down, match.start, row.open, throw, legal, reopens=reopens)

    def _check(self, show: Show, t_ns: int) -> None:
        before, self.show = self.show, show
        seen = self.seen
        seen.modes[show.mode.value] += 1
        filled = show.screen.mode is show.mode and bool(localize_screen(show).text)
        self._must("the screen shows the mode", filled, show)
        if self._before_cut is not None:
            cut, self._before_cut = self._before_cut, None
            if cut.mode not in (Mode.ROLLING, Mode.ENTERING) and cut.scene.player is not None:
                self._must("a power cut changes nothing", _kept(show) == _kept(cut), cut, show)
        if before is not None and before.mode is not show.mode:
            seen.ways[before.mode, show.mode] += 1
            way = (before.mode, show.mode)
            self._must("a way of the table", way in WAYS, "from", before.mode, "to", show.mode)
        late = t_ns - self._touched(t_ns) >= self._sleep_ns
        self._must("sleep only when left alone", late or not show.asleep, "asleep too early")
        if not self.playing:
            nothing = show.mode in BETWEEN and show.scene.player is None
            # The puzzle of the day has a throw and levers to judge, and no match.
            judged = show.scene.verdict.kind is VerdictKind.OK or show.mode is Mode.PUZZLE
            self._must("no match, nothing of one", nothing and judged, show)
            return
        if show.mode not in (Mode.ROLLING, Mode.ENTERING):
            self._reveal()
        match, verdict = self._match, self.verdict()
        row = match.row
        seen.verdicts[verdict.split()[0]] += 1
        self._must("the verdict", str(show.scene.verdict) == verdict, "right is", repr(verdict), show)
        self._must("whose turn it is", show.scene.player == match.at + 1, "it is player", match.at + 1, show)
        self._must("open tiles", set(show.scene.open) == row.open, "right is", sorted(row.open), show)
        throw = None if match.phase == "throw" else row.throw
        self._must("throws shown are those kept", show.scene.throw == throw, "right is", throw, show)
        self._must("scores", list(show.scene.scores) == match.scores, "right is", match.scores, show)
        self._must("totals", list(show.scene.totals) == match.totals, "right is", match.totals, show)
        winners = [i + 1 for i in match.winners]
        self._must("winners", list(show.scene.winners) == winners, "right is", winners, show)
        owes = match.owes if match.over else []
        self._must("stakes owed", list(show.scene.owes) == owes, "right is", owes, show)
        self._must("a mode that fits", show.mode in self._modes(verdict), "in", match.phase, verdict, show)
        if show.mode is Mode.MATCH_OVER and (before is None or before.mode is Mode.TURN_OVER):
            captain = self._profile.name.startswith("jouhet") and match.captain
            called = CAPTAIN[show.language] in localize_screen(show).title
            self._must("the winner is called Captain", called == captain, localize_screen(show).title)
        if show.mode is Mode.FLIPPING and show.screen.tiles:
            self._check_tiles(show, row)

    def _check_tiles(self, show: Show, row: Row) -> None:
        """The tiles that blink are those of a legal move that the levers still allow."""
        *_, flipped = self._levers()
        answer = self._answer()
        fitting = {tile for move in self._match.legal() if flipped <= move for tile in move - flipped}
        if answer is not None:
            fitting &= set(to_numbers(answer))
        viable = {self._lever(row, tile) for tile in fitting}
        wrong = {tile for tile, state in show.screen.tiles if state is TileState.WRONG}
        blink = {tile for tile, state in show.screen.tiles if state is TileState.VIABLE}
        self._must("viable tiles blink", blink == viable - wrong, "right is", sorted(viable), show)
        numbers = [tile for tile, state in show.screen.tiles if state is TileState.SHUT]
        if self._back:
            still_open = row.behind | {tile + self._back for tile in row.open}
            self._must("shut tiles", not set(numbers) & still_open, "open are", sorted(still_open), show)
            return
        self._must("shut tiles", not set(numbers) & row.open, "open are", sorted(row.open), show)

    def _modes(self, verdict: str) -> set[Mode]:
        match self._match.phase:
            case "throw" if self._thrown is not None:
                return {Mode.ROLLING}
            case "throw":
                usual = {Mode.READY, Mode.ENTERING}
                return usual if verdict == "ok" else usual | {Mode.RAISING}
            case "answer":
                return {Mode.FLIPPING}
            case "turn-over":
                return {Mode.TURN_OVER}
            case _:
                return {Mode.MATCH_OVER, Mode.INITIALS}
