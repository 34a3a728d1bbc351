"""`shutthebox replay`: plays a scenario, or a match record, in virtual time."""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from shutthebox.cli.parser import Subparsers
from shutthebox.cli.progress import working
from shutthebox.files import make_folder, read_text


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox replay`."""
    parser = subparsers.add_parser(
        "replay",
        help="play a scenario in virtual time and check it",
        description="Plays a scenario, or the record of a match, in virtual time. For a "
        "record, it first says what the record can't prove: real dice, the "
        "computer's seats, levers out of play, two linked boxes, a match given up, the version of "
        "the box and its rules (with --json on standard error). Exits with 1 at "
        "the first expectation that isn't met. A scenario may take 100 hours of "
        "virtual time and 50,000 steps; each lever of a flip is a step, and a "
        "power cut is 50.",
        example="shutthebox replay evening.scn --frames pictures",
    )
    parser.add_argument("script", metavar="SCRIPT", type=Path, help="a scenario, or the record of a match")
    parser.add_argument("--json", action="store_true", help="print one line of JSON for every effect")
    parser.add_argument("--frames", metavar="DIR", type=Path, help="save a picture of every screen")
    parser.add_argument(
        "--state", metavar="DIR", type=Path, help="keep the store there, and continue from it"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays the script; exits with 0 if all its expectations hold."""
    # Imported here: the other commands need neither gpiozero nor Pillow.
    from shutthebox.config.profiles import builtin
    from shutthebox.rules import record
    from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
    from shutthebox.simulator.scenario import script as scenario
    from shutthebox.simulator.scenario.effect_lines import ReplayedEffect, as_json
    from shutthebox.simulator.scenario.from_record import as_scenario
    from shutthebox.simulator.scenario.player import SECOND, ScenarioPlayer

    text = read_text(args.script, scenario.ScenarioError, "a scenario", scenario.MAX_BYTES)
    for option, folder in (("--frames", args.frames), ("--state", args.state)):
        if folder is not None:
            make_folder(folder, option)

    def tell(box: int, effect: ReplayedEffect, t_ns: int) -> None:
        if args.json:
            print(as_json(effect, t_ns, box))

    with tempfile.TemporaryDirectory(prefix="shutthebox-") as temporary:
        if text.startswith(record.KIND):
            match = record.parse(text, str(args.script), builtin)
            # With --json only effects are on stdout.
            for sentence in record.unproven(match):
                print(f"not proved: {sentence}", file=sys.stderr if args.json else sys.stdout)
            text = as_scenario(match, Path(temporary))
        script = scenario.parse(text, str(args.script))
        state = args.state or Path(temporary)
        display, second = VirtualDisplay(script.config, args.frames), None
        if script.second is not None:
            frames = args.frames and args.frames / SECOND
            if frames:
                make_folder(frames, "--frames")
            second = VirtualDisplay(script.second, frames)
        replay = ScenarioPlayer(script, state, display, partial(tell, 1), second, partial(tell, 2))
        with working(lambda: f"at line {replay.line} of {script.lines[-1].line if script.lines else 0}"):
            replay.run()
    return 0
