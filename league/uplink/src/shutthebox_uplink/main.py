"""The `shutthebox-uplink` command. Ends with 0 if all is well, 1 for a fault, 2 for wrong use."""

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from shutthebox.adapters.systemd import Systemd
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.outbox_entry import DeliveryState, UplinkStatus
from shutthebox_uplink import __version__
from shutthebox_uplink.identity import find_identity, keep_identity
from shutthebox_uplink.settings import find_enrolment, read_home_assistant
from shutthebox_uplink.spool import Spool
from shutthebox_uplink.uplink import Uplink, remove_from_home_assistant

OUTBOX = Path("/var/spool/shutthebox/outbox")
SCORES = Path("/run/shutthebox/scores.json")
HOME_ASSISTANT = Path("/etc/shutthebox/home-assistant.toml")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the uplink, or removes the box from Home Assistant."""
    parser = argparse.ArgumentParser(
        prog="shutthebox-uplink",
        description="Sends matches to a league, and the box's state to Home Assistant.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "--enrolment", metavar="F", type=Path, help="what `shutthebox-league enrol` has printed"
    )
    parser.add_argument("--outbox", metavar="DIR", type=Path, default=OUTBOX, help=f"default: {OUTBOX}")
    parser.add_argument("--scores", metavar="F", type=Path, default=SCORES, help=f"default: {SCORES}")
    parser.add_argument(
        "--home-assistant", metavar="F", type=Path, default=HOME_ASSISTANT, help=f"default: {HOME_ASSISTANT}"
    )
    parser.add_argument("--remove", action="store_true", help="take the box out of Home Assistant, and end")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        return _run(args)
    except ShutTheBoxError as error:
        print(f"shutthebox-uplink: {one_line(str(error))}", file=sys.stderr)
        if not args.remove and args.outbox.is_dir():
            Spool(args.outbox).write_status(UplinkStatus(DeliveryState.OTHER, one_line(str(error))))
        return error.exit_code


def _run(args: argparse.Namespace) -> int:
    enrolment = None
    if args.enrolment is not None:
        enrolment = find_enrolment(args.enrolment)
    home = read_home_assistant(args.home_assistant)
    if args.remove:
        name = enrolment.name if enrolment else find_identity(args.outbox)
        if home is not None and name is not None and not remove_from_home_assistant(home, name):
            raise ShutTheBoxError(f"{home.host}: can't be reached; the box stays in Home Assistant")
        return 0
    if enrolment is None and home is None:
        raise ShutTheBoxError("nothing to do; use --enrolment, or a broker in --home-assistant")
    name = enrolment.name if enrolment else keep_identity(args.outbox)
    uplink = Uplink(Spool(args.outbox), args.scores, enrolment, home, name)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: uplink.inbox.put(None))
    systemd = Systemd()
    systemd.ready()
    uplink.run(systemd.alive, systemd.status)
    systemd.stopping()
    return 0


if __name__ == "__main__":
    sys.exit(main())
