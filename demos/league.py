"""`make league`: a league, and three simulated boxes that play; opens the page."""

import argparse
import sys
import tempfile
import time
import webbrowser
from contextlib import closing
from pathlib import Path

from tests.box.league.running import Part, RunningLeague
from tests.support.http_client import is_served
from tests.support.league import league_command
from tests.support.mosquitto import free_port

from shutthebox_league.enrolment import new_owner_token

BOXES = {"anchor": "The Anchor", "bell-bar": "The Bell", "bell-garden": "The Bell"}
PAUSE_S = 5.0


def main() -> int:
    """Opens a league; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="make league", description="Plays a league of three simulated boxes, and opens its page."
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    args = parser.parse_args()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="shutthebox-league-", ignore_cleanup_errors=True) as name,
            closing(RunningLeague(Path(name), "", BOXES, PAUSE_S)) as league,
        ):
            port = free_port()
            serve = league_command(Path(name), "serve", "--port", str(port))
            league.parts["page"] = [Part(serve, Path(name) / "page.log")]
            url = f"http://127.0.0.1:{port}/"
            while not is_served(port):
                time.sleep(0.2)
            for pub in sorted(set(BOXES.values())):
                print(f"The key of {pub} for {url}owner: {new_owner_token(league.place.engine, pub)}")
            print(f"The league is at {url}  (Ctrl-C ends)", flush=True)
            if not args.no_browser:
                webbrowser.open(url)
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        print("Goodbye.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
