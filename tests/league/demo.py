"""`make league`: a broker, a league, and three simulated boxes that play; opens the page."""

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import webbrowser
from contextlib import ExitStack
from pathlib import Path

from tests.support.league import league_command, uplink_command
from tests.support.mosquitto import free_port, league_config, mosquitto_program

BOXES = (("anchor", "The Anchor"), ("bell-bar", "The Bell"), ("bell-garden", "The Bell"))
PAUSE_S = 5.0


def main() -> int:
    """Runs until Ctrl-C."""
    program = mosquitto_program()
    if program is None:
        print("make: no mosquitto here: on Debian and Ubuntu, sudo apt install mosquitto", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="shutthebox-league-"))
    ports = [free_port() for _ in range(3)]

    def command(*args: str) -> str:
        done = subprocess.run(league_command(folder, *args), check=True, capture_output=True, text=True)
        sys.stderr.write("".join(line for line in done.stderr.splitlines(True) if "/owner" in line))
        return done.stdout

    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)

        def start(*args: str) -> None:
            process = subprocess.Popen(args)
            stack.callback(process.wait, 20)
            stack.callback(process.terminate)

        command(
            "found", "--host", "127.0.0.1", "--name", "The town", "--port", str(ports[0]),
            "--consumers-port", str(ports[1]),
        )  # fmt: skip
        config = folder / "mosquitto.conf"
        config.write_text(league_config(folder, (ports[0], ports[1])))
        for name, pub in BOXES:
            (folder / f"{name}.toml").write_text(command("enrol", name, "--pub", pub))
        start(program, "-c", str(config))
        for words in (("consume",), ("review",), ("serve", "--port", str(ports[2]))):
            start(*league_command(folder, *words))
        for seed, (name, _) in enumerate(BOXES):
            box = folder / name
            (box / "outbox").mkdir(parents=True)
            start(sys.executable, "-m", "tests.league.box", str(box), str(seed), str(PAUSE_S))
            start(*uplink_command(folder / f"{name}.toml", box))
        url = f"http://127.0.0.1:{ports[2]}/"
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        print(f"The league is at {url}  (Ctrl-C ends)", flush=True)
        if "--no-browser" not in sys.argv:
            webbrowser.open(url)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print("Goodbye.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
