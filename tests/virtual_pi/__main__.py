"""Runs one command in a fresh virtual Pi with the project in it, and shows what it says.

python3 -m tests.virtual_pi python3 /opt/project/tests/benchmarks/pins.py
"""

import shlex
import sys

from tests.virtual_pi import VirtualPi, missing
from tests.virtual_pi.project import PROJECT, build_wheel, install


def main() -> int:
    """Returns the command's exit code."""
    lacking = missing()
    if lacking is not None:
        print(lacking, file=sys.stderr)
        return 2
    with build_wheel() as wheel, VirtualPi() as pi:
        install(pi, wheel)
        pi.copy_in(PROJECT / "tests/benchmarks", "/opt/project/tests/benchmarks")
        done = pi.run(shlex.join(sys.argv[1:]), timeout=1800, check=False)
        print(done.out, end="")
        print(done.err, end="", file=sys.stderr)
        return done.code


if __name__ == "__main__":
    sys.exit(main())
