"""`shutthebox speech`: reads the box's screens aloud, for people who can't see them."""

import argparse
import sys
import threading
from pathlib import Path

from shutthebox.cli.own_config import add_config_option, load_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import with_value
from shutthebox.files import check_folder, shown_path

_LOOK_S = 0.05
"""Seconds between two looks at the file. A read takes about 50 microseconds."""


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox speech`."""
    parser = subparsers.add_parser(
        "speech",
        help="speak what the box shows, with espeak-ng",
        description="Speaks every prompt, throw, fault and score in the box's language, "
        "until you stop it. Under systemd it is shutthebox-speech.service, which "
        "is off by default.",
        example="shutthebox speech --print --state ~/.local/state/shutthebox/simulator",
    )
    add_config_option(parser)
    parser.add_argument("--state", metavar="DIR", type=Path, help="where the box writes what it says")
    parser.add_argument(
        "--volume",
        metavar="N",
        type=int,
        help="volume from 0 to 200, where 100 is normal; default: as configured",
    )
    parser.add_argument(
        "--print", action="store_true", help="print each announcement on a line instead of speaking it"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, ended: threading.Event | None = None) -> int:
    """Speaks until `ended` is set, or until a signal."""
    from shutthebox.speech.speech_file import FILE_NAME, SpeechFileReader
    from shutthebox.speech.voice import Voice

    config = load_config_or_default(args.config, "speaking as")
    if args.volume is not None:
        config = with_value(config, "speech.volume", args.volume, "--volume")
    if args.state is not None:
        check_folder(args.state, "--state")
    voice = None if args.print else Voice(config.speech.volume)
    folder = args.state or config.scores_folder
    reader = SpeechFileReader(folder)
    print(f"Listening to {shown_path(folder / FILE_NAME)}  (Ctrl-C ends)", file=sys.stderr, flush=True)
    ended = ended or threading.Event()
    try:
        while not ended.wait(_LOOK_S):
            for announcement in reader.new():
                if voice is None:
                    print(announcement.text, flush=True)
                else:
                    voice.say(announcement)
            if voice is not None:
                voice.go_on()
    finally:
        if voice is not None:
            voice.fall_silent()
    return 0
