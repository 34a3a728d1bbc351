"""Every script beside plays as it expects; the format, its errors, and recordings that play again.

Pictures that scripts expect are renewed with `--update-golden`.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.support.box import MS, BoxUnderTest, S, config_with
from tests.support.fast import fast_among
from tests.support.simulation import Simulation, Trouble

from shutthebox.adapters.display.pillow import image_of
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Ask, AskLink, AskStick, Effect
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.effect_lines import ReplayedEffect, as_json
from shutthebox.simulator.scenario.expectations import EXPECTATIONS, Expect
from shutthebox.simulator.scenario.player import ExpectationError, ScenarioPlayer
from shutthebox.simulator.scenario.recorder import LinkedRecorder, ScenarioRecorder
from shutthebox.simulator.scenario.script import VERBS, Scenario, parse, read
from shutthebox.simulator.scenario.verbs import Configure, PowerCut, Seed, Verb
from shutthebox.translations import localize_screen

FOLDER = Path(__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.scn"))
NAMES = [path.stem for path in SCRIPTS]
Play_ = Callable[..., list[tuple[ReplayedEffect, int]]]


class RenewingDisplay(VirtualDisplay):
    """Saves the panel's picture as the expected one."""

    def shows(self, golden: Path, now_ns: int) -> bool:
        image_of(self.look(now_ns)).save(golden, optimize=True)
        return True


@pytest.fixture
def play(tmp_path: Path) -> Play_:
    """Plays a scenario, or its text; gives its effects with their times."""

    def run(script: Scenario | str, state: Path | None = None) -> list[tuple[ReplayedEffect, int]]:
        scenario = parse(script, "script") if isinstance(script, str) else script
        effects: list[tuple[ReplayedEffect, int]] = []
        folder = state or tmp_path / "state"
        display = VirtualDisplay(scenario.config)
        ScenarioPlayer(scenario, folder, display, lambda effect, t_ns: effects.append((effect, t_ns))).run()
        return effects

    return run


LONG = {
    "puzzle-of-the-next-day",
    "double-shutter-eighteen-levers",
    "through-two-rows",
    "through-two-rows-eighteen-levers",
    "double-shutter",
    "blanks",
    "double-blank-ends-it",
    "domino-bag",
    "digits-replay",
    "open-one",
    "tug",
    "tug-computer",
    "tug-power-cut",
    "high-rollers",
}


@pytest.mark.parametrize("name", fast_among(NAMES, set(NAMES[::6]) - LONG))
def test_script(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    scenario = read(FOLDER / f"{name}.scn")
    renews = request.config.getoption("--update-golden")
    make = RenewingDisplay if renews else VirtualDisplay
    second = scenario.second and make(scenario.second)
    ScenarioPlayer(scenario, tmp_path, make(scenario.config), second_display=second).run()


def test_every_word_of_the_format_is_in_a_script() -> None:
    # Configuration and seed are no lines of what is played.
    assert {type(verb) for verb in verbs()} == set(VERBS.values()) - {Configure, Seed}
    assert any(read(path).seed for path in SCRIPTS)
    assert {verb.what for verb in verbs() if isinstance(verb, Expect)} == set(EXPECTATIONS)


def verbs() -> list[Verb]:
    return [line.verb for path in SCRIPTS for line in read(path).lines]


def test_a_script_plays_the_same_every_time(play: Play_, tmp_path: Path) -> None:
    scenario = read(FOLDER / "bad-contacts.scn")
    first = [as_json(*effect) for effect in play(scenario, tmp_path / "a")]
    assert first == [as_json(*effect) for effect in play(scenario, tmp_path / "b")]


# -- expectations that fail --------------------------------------------------------------------

FLIPPING = """config game.setup usual
config game.players 2
dice 3 5
press
press
press
flip 3
"""


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("expect mode ready", "expected mode ready, got flipping"),
        ("expect open 1 2", "expected open 1 2, got 1 2 3 4 5 6 7 8 9"),
        ("expect verdict complete", "expected verdict complete, got missing 5"),
        ("expect throw 5 3", "expected throw 5 3, got 3 5"),
        ("expect score 1 0", "expected score 1 0, got 1 nothing"),
        ("expect owes 1 2", "expected owes 1 2, got 1 nothing"),
        ('expect text "4 to go"', "expected text 4 to go, got Player 1 / 5 to go / Flip, then press"),
        ("expect panel nowhere", "expected panel nowhere, got a panel unlike nowhere.png"),
    ],
)
def test_a_failed_expectation_names_script_and_line(play: Play_, line: str, complaint: str) -> None:
    with pytest.raises(ExpectationError) as failed:
        play(FLIPPING + line)
    assert str(failed.value) == f"script:8: {complaint}"
    assert failed.value.exit_code == 1


@pytest.mark.parametrize(
    "line",
    [
        "expect open 9 8 7 6 5 4 3 2 1",
        "expect throw 3 5",
        'expect text "PLAYER 1"',
        'expect text "5 TO go"',
        "expect total 1 0",
    ],
)
def test_what_does_not_matter_in_an_expectation(play: Play_, line: str) -> None:
    play(FLIPPING + line)


# -- scripts that make no sense ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("dance", "script:1: dance: did you mean 'dice'? use"),
        ("press\n\n# fine\nflop 3", "script:4: flop: did you mean 'flip'? use"),
        ("wait -1", "script:1: wait: '-1' is not a duration"),
        ("+soon press", "script:1: press: 'soon' is not a duration"),
        ("flip 0", "script:1: flip: '0' is not a valid lever; use 1 to 54"),
        ("flip 3 3", "script:1: flip: lever 3 is named twice"),
        ("dice 3 181", "script:1: dice: '181' is not a valid face"),
        ("bounce 3", "script:1: bounce: use bounce LEVER down|up DURATION"),
        ("lose-edges 2", "script:1: lose-edges: '2' is not a fraction"),
        ("expect mode rising", "script:1: expect: 'rising' is not a mode; use one of attract"),
        ("expect owes 1 1/0", "script:1: expect: '1/0' is not a number of stakes"),
        ("expect text 3 to go", 'script:1: expect: use expect text "WORDS"'),
        ("expect panel ../x", "script:1: expect: '../x'; use letters"),
        ("config game.players 21", "script:1: game.players: 21 is not allowed"),
        ("config gpio.roll 4", "script: gpio.roll: line 4 is taken by gpio.levers[0]"),
        ("press\nconfig game.players 3", "script:2: config: allowed only before anything happens"),
        ("link lose 2", "script:1: link: '2' is not a fraction"),
        ("link late soon", "script:1: link: 'soon' is not a duration"),
        ("link down", "script:1: link: use link cut, link up, link lose 0.2"),
        ("box 2: link cut", "script:1: link: it's between both boxes; use the line without box 2:"),
        ("box 3: press", "script:1: box: use box 2: LINE"),
        ("box 2:", "script:1: box: use box 2: LINE"),
        ("box 2: flop 3", "script:1: flop: did you mean 'flip'? use"),
        ("box 2: config game.players 21", "script:1: game.players: 21 is not allowed"),
        ("press\nbox 2: config game.players 3", "script:2: config: allowed only before anything happens"),
        ("box 2: config gpio.roll 4", "script: gpio.roll: line 4 is taken by gpio.levers[0]"),
        # These are found only on the box.
        ("box 2: flip 10", "script:1: box 2: flip: lever 10: this box has 1 to 9"),
        ("config game.profile nonsense\npress", "script: game.profile: profile: 'nonsense' is not known"),
        (
            "config game.profile full-house\nconfig box.levers 9\npress",
            "script: game.profile: full-house needs 12 levers, this box has 9",
        ),
        ("flip 10", "script:1: flip: lever 10: this box has 1 to 9"),
        ("wait 5\n@3 press", "script:2: press: it is 5.5 s already; use a later time than @3"),
        (
            "config game.setup usual\ndice 6\npress\npress",
            "script:4: press: 6 is queued, but 2 dice of 6 are thrown",
        ),
        pytest.param(
            "config game.setup usual\nconfig game.profile domino-bag\ndice 3 5 | 5 3\npress\npress\n"
            "press\nflip 8\npress\nwait 2",
            "script:8: press: 5 3 is queued, but not in the bag",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_script_that_makes_no_sense_is_one_line(play: Play_, text: str, complaint: str) -> None:
    with pytest.raises(ShutTheBoxError) as wrong:
        play(text)
    assert str(wrong.value).startswith(complaint)
    assert "\n" not in str(wrong.value)
    assert wrong.value.exit_code == 2


@pytest.mark.parametrize("name", fast_among(["2012", "the-300", "cards"], ["the-300"]))
def test_a_game_whose_name_looks_like_a_number_can_be_played(play: Play_, name: str) -> None:
    play(f"config game.profile {name}\nconfig game.setup usual\npress\nexpect mode ready")


def test_two_boxes_are_played_in_the_same_time(tmp_path: Path) -> None:
    script = """
        config game.setup usual
        box 2: config game.setup usual
        box 2: config box.language fr
        press
        expect mode ready
        box 2: expect mode attract
        box 2: @3 press
        box 2: expect mode ready
        box 2: expect player 1
        +0.5 press
        expect mode rolling
        box 2: expect mode ready
    """
    told: dict[int, list[int]] = {1: [], 2: []}
    tells = [lambda _, t_ns, box=box: told[box].append(t_ns) for box in told]
    ScenarioPlayer(parse(script, "script"), tmp_path, tell=tells[0], tell_second=tells[1]).run()
    assert max(told[1]) > max(told[2]) > 3 * S
    with pytest.raises(ExpectationError, match="script:1: box 2: expected mode ready, got attract"):
        ScenarioPlayer(parse("box 2: expect mode ready", "script"), tmp_path / "other").run()


# -- recordings --------------------------------------------------------------------------------


class Recording(BoxUnderTest):
    """A box played by hand, with a recorder on it."""

    def __init__(self, values: dict[str, object], state: Path) -> None:
        self.text_written = io.StringIO()
        self.timed: list[tuple[Effect, int]] = []
        config = config_with(**values)
        super().__init__(state, config, observers=[self._observe], seed=3, advised=True)
        self.wait(0)
        self.start_ns = self.box.now_ns
        levers = config.box.levers or 9
        self.recorder = ScenarioRecorder(self.text_written, config, levers, frozenset(), self.start_ns)
        self.timed.clear()

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if hasattr(self, "recorder"):
            self.recorder(what, t_ns)
        if not isinstance(what, SwitchChanged):
            self.timed.append((what, t_ns))

    def script(self) -> str:
        self.wait(S)
        self.recorder.flush()
        return self.text_written.getvalue()


Record: TypeAlias = Callable[[dict[str, object]], Recording]


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    """Begins a recording with these values of the config, from an empty box."""
    with ExitStack() as stack:

        def begin(values: dict[str, object]) -> Recording:
            recording = Recording(values, tmp_path / "recorded")
            stack.callback(recording.box.close)
            return recording

        yield begin


def outline(effects: Iterable[tuple[Effect, int]]) -> Iterator[str]:
    """The effects without their times, a repeated show once."""
    last = ""
    for effect, t_ns in effects:
        if isinstance(effect, Ask | AskStick | AskLink):
            continue
        line = json.loads(as_json(effect, t_ns))
        del line["t"]
        text = json.dumps(line)
        if text != last:
            yield text
        last = text


def check_plays_again(recording: Recording, play: Play_) -> str:
    text = recording.script()
    again = play(text)
    assert list(outline(again))[1:] == list(outline(recording.timed))
    return text


def test_a_recorded_match_plays_to_the_same_effects(play: Play_, record: Record) -> None:
    recording = record({"game.profile": "pub", "game.players": 2})
    recording.press()
    recording.press()
    recording.press()
    for _ in range(40):
        viable = [tile for tile, state in recording.screen.tiles if state is TileState.VIABLE]
        if recording.mode is Mode.FLIPPING and viable:
            recording.flip(viable[0])
        else:
            recording.press()
            recording.wait(400 * MS)
    assert len(recording.facts) > 5
    check_plays_again(recording, play)


def test_short_presses_quick_hands_and_holds_play_again(play: Play_, record: Record) -> None:
    recording = record({"game.profile": "jouhet"})
    for ms in (30, 60, 130, 700):
        recording.press(ms * MS)
    recording.flip(1, 2, 3)
    recording.hold()
    recording.lift(1)
    recording.press(40 * MS)
    check_plays_again(recording, play)


def test_the_config_of_a_recording_is_read_back(play: Play_, record: Record) -> None:
    """Every setting of the game and the box is written so that it can be read."""
    values: dict[str, object] = {
        "game.profile": "2012", "game.players": 4, "game.rounds": 2, "game.dice": "real", "game.hints": True,
        "box.levers": 12, "box.language": "fr", "box.sleep_min": 5, "box.settle_ms": 30.5,
        "box.button_settle_ms": 20, "link.on": True, "link.name": 'The "#1"  Bar',
    }  # fmt: skip
    config = parse(record(values).script(), "recorded").config
    assert config == config_with(**values)


# -- two linked boxes --------------------------------------------------------------------------


class TwoBoxes:
    """A scenario of two boxes that is played: what they do, and the pictures they show."""

    def __init__(self, text: str, folder: Path) -> None:
        self.scenario = parse(text, "script")
        assert self.scenario.second is not None
        self.configs = [self.scenario.config, self.scenario.second]
        self.frames = [folder / f"frames-{box}" for box in (1, 2)]
        for frames in self.frames:
            frames.mkdir(parents=True)
        displays = list(map(VirtualDisplay, self.configs, self.frames))
        self.effects: list[str] = []
        tells = [
            lambda effect, t_ns, box=box: self.effects.append(as_json(effect, t_ns, box)) for box in (1, 2)
        ]
        self.replay = ScenarioPlayer(self.scenario, folder, displays[0], tells[0], displays[1], tells[1])

    @property
    def pictures(self) -> list[list[bytes]]:
        return [[path.read_bytes() for path in sorted(frames.iterdir())] for frames in self.frames]


@pytest.mark.slow
def test_a_recording_of_one_box_ends_where_a_linked_match_begins(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its throws can't be queued, and the other box isn't there."""
    script = (FOLDER / "linked-match.scn").read_text("utf-8").replace("expect panel", "# expect panel")
    script = script.replace("box 2: #", "#").replace(
        "cursor 1\n", "flip 9\nlift 9\n", 1
    )  # no form is recorded here
    written, played = io.StringIO(), ScenarioPlayer(parse(script, "script"), tmp_path / "played")
    config = parse("config link.on true", "config").config
    played.world.observe(ScenarioRecorder(written, config, 9, frozenset(), 0))
    played.run()
    assert "the recording ends here" in caplog.text
    again = ScenarioPlayer(parse(written.getvalue(), "recorded"), tmp_path / "again")
    again.run()
    assert "Room 5272" in localize_screen(again.world.show).text


@pytest.mark.slow
def test_a_recorded_linked_match_plays_to_the_same_effects_and_pictures(tmp_path: Path) -> None:
    """Who sends the recording of a linked match wants others to see what they saw."""
    lines: list[str] = []
    with closing(
        Simulation(1, tmp_path, Trouble(), "pub", tell=lines.append, is_scenario=True)
    ) as simulation:
        simulation.run()
    hands = [line for line in lines if "#" not in line]
    resting = [number for number, line in enumerate(hands) if line.endswith("wait 3")][-6]
    hands[resting:resting] = ["+0 power-cut", "box 2: +0 power-cut"]
    played = TwoBoxes("\n".join(hands), tmp_path / "played")
    assert played.replay.second is not None
    boxes = [played.replay.world, played.replay.second]
    written = io.StringIO()
    levers = [len(box.box.levers) for box in boxes]
    recorder = LinkedRecorder(written, played.configs, levers, played.scenario.seed)
    for number, box in enumerate(boxes):
        box.observe(recorder.observer(number))
    cuts = {line.line: line.box - 1 for line in played.scenario.lines if isinstance(line.verb, PowerCut)}
    with closing(played.replay):
        for _ in played.replay.lines():
            if (cut := cuts.get(played.replay.line)) is not None:
                recorder.cut_power(cut, boxes[cut].now_ns, boxes[cut].box.levers_down)
    again = TwoBoxes(written.getvalue(), tmp_path / "again")
    again.replay.run()
    assert any('"finish' in effect for effect in again.effects)
    assert "dice" not in written.getvalue()
    assert again.effects == played.effects
    assert again.pictures == played.pictures
