"""Transcripts: what hands do at a box, and all that the box then keeps, asks, plays and shows.

A transcript is one text. Its head is TOML: the settings, the levers and the world, perhaps a `[game]`. Then
come the hands, a line each after ``>``, and below each line the effects in their order:

* ``keep``, ``play`` and ``ask``: a fact, a tune, a question to the odds;
* ``show``: mode, verdict, when the box goes on by itself, the dice, the row of tiles, the line that is marked
  in a list to choose from, and of all words only the figures in them;
* ``now``: what has changed on the table, and of what the box has in mind.

In the row of tiles ``3`` is open, ``-`` is shut, ``3?`` can be shut now, ``3v`` has been flipped, ``3!`` is
wrong. Several hands can share a line; only the last screen of a line is shown.

Half a second after what came before: ``press``, ``hold``, ``press 3 5`` and ``hold 4`` (with the throw that
they make), ``hold-long``, ``service``, ``flip 3 5``, ``lift 3 5``, ``choose 3`` (flip and lift), ``time``,
``fault forgets``, ``no-fault``, ``rests 3 40`` (since lever 3 has moved, others have 40 times),
``chatters 3``, ``quiet``. In its own time: ``open Puzzle`` (the menu, and this line of it). At once:
``wait 0.8``, ``press-again 0.3``, ``dice 3 5`` (the next throw), ``throw 3 5`` (press and wait), ``odds``
(those that were asked answer), ``no-odds``, ``power-cut``.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from tests.support.box import MS, S
from tests.support.house import house
from tests.support.machine import NoOdds, Odds, SilentOdds, Table, settings_for

from shutthebox.adapters.odds_worker import InlineOdds
from shutthebox.config.profiles import builtin
from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.daily import Daily
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.effects import Ask, Effect, Keep, PlaySound, Show
from shutthebox.game.facts import (
    Began,
    Fact,
    Faulted,
    Finished,
    PlayersLeft,
    Remembered,
    Resumed,
    Signed,
    Streak,
)
from shutthebox.game.faults import Fault
from shutthebox.game.inputs import (
    FaultReported,
    HealthChanged,
    Held,
    HeldLong,
    LeversMoved,
    Pressed,
    ServicePressed,
    TimePassed,
)
from shutthebox.game.screen import LocalizedScreen, TileState
from shutthebox.game.settings import DiceKind, Settings, SetupChoice, ShownStakes
from shutthebox.game.state import Shared
from shutthebox.odds.puzzles import puzzle_from_text
from shutthebox.odds.questions import AskAnswer, AskDice, AskHint, AskReview, Prepare, Question
from shutthebox.odds.strengths import Strength
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.translations import localize_screen

_SIGNS = {
    TileState.OPEN: "{}",
    TileState.SHUT: "-",
    TileState.VIABLE: "{}?",
    TileState.FLIPPED: "{}v",
    TileState.WRONG: "{}!",
}


BETWEEN_HANDS_NS = 500 * MS
"""A hand comes so long after the one before it."""


def played_again(text: str) -> str:
    """The transcript that the hands of this one give now."""
    head, hands = parts_of(text)
    transcript = Transcript(head)
    parts = [f"{head}\n", *transcript.told(transcript.table.effects)]
    for line in hands:
        parts += [f"> {line}\n", *transcript.hand(line)]
    return "".join(parts)


def parts_of(text: str) -> tuple[str, list[str]]:
    """The head of a transcript, and its lines of hands."""
    lines = text.splitlines()
    head = list(takewhile(lambda line: not line.startswith(("  ", ">")), lines))
    hands = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    return "\n".join(head).strip() + "\n", hands


class Transcript:
    """A box under the hands of a transcript."""

    def __init__(self, head: str) -> None:
        keys = tomllib.loads(head)
        keys.pop("game", None)
        odds: dict[str, Odds] = {"none": NoOdds(), "now": InlineOdds(), "later": SilentOdds()}
        self.odds = odds[keys.pop("odds", "none")]
        pasts = {name: EarlierResults(*past) for name, past in keys.pop("pasts", {}).items()}
        puzzle = keys.pop("puzzle", "")
        daily = Daily(keys.pop("day", 0), puzzle_from_text(puzzle, builtin)) if puzzle else None
        fault = keys.pop("fault", None)
        self.seen: dict[str, str] = {}
        self.health: dict[int, ContactHealth] = {}
        world = {
            "down": keys.pop("down", ()),
            "statistics": keys.pop("statistics", ()),
            "fault": Fault(fault) if fault else None,
            "notices": keys.pop("notices", ()),
        }
        self.table = Table(
            _settings(head, keys),
            odds=self.odds,
            daily=lambda games: daily,
            past=lambda match, letters: pasts.get(letters, EarlierResults()),
            **world,
        )

    def hand(self, line: str) -> Iterator[str]:
        """What a line of hands brings about."""
        effects: list[Effect] = []
        for words in line.split(","):
            verb, *numbers = words.split()
            effects += self._done(verb, numbers)
        yield from self.told(effects)

    def _done(self, verb: str, words: list[str]) -> list[Effect]:
        table, numbers = self.table, tuple(int(word) for word in words if word.isdigit())
        match verb:
            case "wait":
                return table.wait(_ns(words[0]))
            case "press-again":
                return table.wait(_ns(words[0])) + table.give(Pressed(), 0)
            case "dice":
                table.dice.throws.append(numbers)
                return []
            case "power-cut":
                self.table = table.again(odds=self.odds)
                return self.table.effects
            case "odds" | "no-odds":
                return self._answered(InlineOdds() if verb == "odds" else NoOdds())
            case "throw":
                return self._done("press", words) + table.wait(800 * MS)
            case "open":
                return table.open_menu(" ".join(words))
            case "choose":
                return self._done("flip", words) + self._done("lift", words)
        return table.wait(BETWEEN_HANDS_NS) + self._by_hand(verb, numbers, " ".join(words))

    def _by_hand(self, verb: str, numbers: tuple[int, ...], words: str) -> list[Effect]:
        table = self.table
        match verb:
            case "press" | "hold":
                table.dice.throws += [numbers] if numbers else []
                effects = table.give(Held() if verb == "hold" else Pressed(), 0)
                assert not numbers or not table.dice.throws, f"{verb} {words} makes no throw"
                return effects
            case "hold-long":
                return table.give(Held(), 0) + table.wait(_ns("9.2")) + table.give(HeldLong(), 0)
            case "service":
                return table.give(ServicePressed(), 0)
            case "flip" | "lift":
                table.down = table.down | set(numbers) if verb == "flip" else table.down - set(numbers)
                return table.give(LeversMoved(to_tiles(table.down)), 0)
            case "time":
                return table.give(TimePassed(), 0)
            case "fault" | "no-fault":
                return table.give(FaultReported(Fault(words) if words else None), 0)
            case "rests" | "chatters" | "quiet":
                return self._felt(verb, numbers)
        raise ValueError(f"{verb} is no verb of a transcript")

    def _answered(self, odds: Odds) -> list[Effect]:
        assert isinstance(self.odds, SilentOdds), "the odds come later"
        asked, self.odds.asked = self.odds.asked, []
        return [
            effect
            for question in asked
            for advice in odds.ask(question)
            for effect in self.table.give(advice, 0)
        ]

    def _felt(self, verb: str, numbers: tuple[int, ...]) -> list[Effect]:
        for lever in numbers[:1]:
            moves = 10 * lever
            self.health[lever] = (
                ContactHealth(moves, lever, idle=numbers[1])
                if verb == "rests"
                else ContactHealth(moves, lever, restless=verb == "chatters")
            )
        return self.table.give(HealthChanged(dict(self.health)), 0)

    def told(self, effects: Sequence[Effect]) -> Iterator[str]:
        last = max((i for i, effect in enumerate(effects) if isinstance(effect, Show)), default=None)
        for i, effect in enumerate(effects):
            match effect:
                case Keep(fact):
                    yield f"  keep {_fact(fact)}\n"
                case PlaySound(sound):
                    yield f"  play {sound}\n"
                case Ask(question):
                    yield f"  ask {_question(question)}\n"
                case Show() if i == last:
                    yield from self._shown(effect)

    def _shown(self, show: Show) -> Iterator[str]:
        now_ns, shared = self.table.now_ns, self.table.machine.state.shared
        due_ns = self.table.machine.deadline_ns
        only_sleeps = due_ns is None or due_ns == shared.touched_ns + shared.settings.sleep_ns
        due = "" if due_ns is None or only_sleeps else f", goes on at {(due_ns - now_ns) / S:+.3f} s"
        at = "" if show.t_ns == now_ns else f", since {(show.t_ns - now_ns) / S:.3f} s"
        asleep = ", asleep" if show.asleep else ""
        yield (
            "; ".join(
                (f"  show {show.mode}, {show.scene.verdict}{at}{asleep}{due}", *_drawn(localize_screen(show)))
            )
            + "\n"
        )
        seen = {**_on_the_table(show), **_known(shared)}
        changed = [text for key, text in seen.items() if self.seen.get(key) != text]
        gone = [f"no {key}" for key in self.seen if key not in seen]
        if changed or gone:
            yield f"  now {'; '.join((*changed, *gone))}\n"
        self.seen = seen


def _ns(seconds: str) -> int:
    return round(float(seconds) * S)


def _settings(head: str, keys: dict[str, Any]) -> Settings:
    types: dict[str, Callable[[Any], object]] = {
        "stakes": ShownStakes,
        "strength": Strength,
        "out_of_play": tuple,
        "service_code": tuple,
        "setup": SetupChoice,
        "dice": DiceKind,
        "streak": lambda streak: Streak(*streak),
        "tournament": lambda seed: Tournament("Christmas", f"{seed:064x}"),
        "handicap": lambda heads: tuple(tuple(head) if isinstance(head, list) else head for head in heads),
        "computers": tuple,
    }
    _, _, game = head.partition("\n[game]\n")
    usual: str | Profile = keys.pop("usual", "traditional")
    if game:
        keys.pop("game", None)
        usual = house(game)
    sleep = {"sleep_min": float(keys.pop("sleep")) / 60} if "sleep" in keys else {}
    values = {key: types[key](value) if key in types else value for key, value in keys.items()}
    return settings_for(usual, **values, **sleep)


def _drawn(screen: LocalizedScreen) -> Iterator[str]:
    """What a screen shows, without its words: a change of a word is the matter of that word's own test."""
    if screen.dice:
        faces = " ".join(map(str, screen.dice))
        yield f"dice {faces}{' tumbling' if screen.tumbling else f' = {screen.total}'}"
    if screen.tiles:
        yield "tiles " + " ".join(_SIGNS[state].format(number) for number, state in screen.tiles)
    if screen.chooses and screen.cursor is not None:
        yield f"choice {screen.cursor + 1}"
    elif screen.rows:
        yield "rows " + " / ".join(map(_figures, screen.rows))
    if screen.alert:
        yield f"alert {_figures(screen.alert)}".rstrip()
    if said := _figures(screen.prompt):
        yield f"says {said}"
    yield from (mark for mark in ("lit", "celebrates") if getattr(screen, mark))


def _figures(text: str) -> str:
    """The numbers in a text, and three letters of a player."""
    return " ".join(re.findall(r"(?:(?<!\d)[+]|-)?\d+(?:[.:]\d+)*|\b[A-Z]{3}\b", text))


def _on_the_table(show: Show) -> dict[str, str]:
    """What a look at the table says beside the screen, by a word for it."""
    told = {
        "game": show.scene.game and show.scene.game.name,
        "player": show.scene.player and f"player {show.scene.player} of {len(show.scene.seats)}",
        "open tiles": show.scene.open and f"open {_listed(show.scene.open)}",
        "throw": show.scene.throw and f"throw {_listed(show.scene.throw)}",
        "scores": show.scene.scores and f"scores {_listed(show.scene.scores)}",
        "totals": show.scene.totals and f"totals {_listed(show.scene.totals)}",
        "debts": show.scene.owes and f"owes {_listed(show.scene.owes)}",
        "winners": show.scene.winners and f"won by {_listed(show.scene.winners)}",
        "stakes": show.scene.staked and "played for stakes",
        "other language": show.language != "en" and f"language {show.language}",
        "review": show.scene.review and "reviewed",
    }
    return {key: text for key, text in told.items() if text}


def _known(shared: Shared) -> dict[str, str]:
    """What the box keeps in mind of levers and names."""
    told = {
        "stuck levers": to_numbers(shared.stuck),
        "dead levers": to_numbers(shared.dead),
        "names": [name or "-" for name in shared.names],
    }
    return {key: f"{key} {_listed(found)}" for key, found in told.items() if found}


def _listed(values: Sequence[object]) -> str:
    return " ".join("-" if value is None else str(value) for value in values)


def _fact(fact: Fact) -> str:
    if isinstance(fact, Remembered):
        key, value = fact.entry
        return f"chosen {key} = {value!r}"
    match fact:
        case Began(match, conditions, link):
            profile = match.game
            extras = (
                ("limit", profile.limit),
                ("teams", profile.teams),
                ("head starts", profile.handicap),
                ("seconds", profile.turn_seconds),
            )
            more = "".join(f", {name} {value}" for name, value in extras if value)
            rounds = f"{match.players} for {match.rounds}"
            linked = f"; seat {link.seat}, from 0, of {', '.join(link.agreement.names)}" if link else ""
            return f"began {profile.name} of {rounds}{more}; {', '.join(conditions.to_lines())}{linked}"
        case Resumed(conditions):
            return f"resumed; {', '.join(conditions.to_lines())}"
        case Finished(match):
            assert match.result is not None
            won = f"won by {_listed(match.result.winners) or 'nobody'}, from 0"
            return f"finished, {won}, totals {_listed(match.totals)}, owes {_listed(match.result.owes)}"
        case Signed(player, initials):
            return f"signed {player}, from 0: {initials}"
        case Faulted(kind, text):
            return f"fault {kind}: {text}"
        case PlayersLeft():
            return "left"
        case action:
            return action.to_text()


def _question(question: Question) -> str:
    match question:
        case Prepare(profile, players):
            return f"to prepare {profile.name} for {players}"
        case AskHint():
            return "for a hint"
        case AskDice(_, strength):
            return f"for the dice of a {strength}"
        case AskAnswer(match, strength):
            return f"for the answer of a {strength} to {_listed(match.turn.throw or ())}"
        case AskReview(beginning, actions, for_win):
            told = ", ".join(action.to_text() for action in actions)
            who = f"player {beginning.player + 1} in round {beginning.round.number}"
            return f"for a review{' for the win' if for_win else ''} from {who}: {told}"
