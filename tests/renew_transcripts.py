"""Plays the transcripts of tests/game again, after a change that is meant to be seen in them.

A plain command: python -m tests.renew_transcripts; what has changed is then to be read, line by line.
"""

from tests.game.test_transcripts import TRANSCRIPTS
from tests.support.transcript import played_again

if __name__ == "__main__":
    for path in TRANSCRIPTS:
        path.write_text(played_again(path.read_text(encoding="utf-8")), encoding="utf-8")
