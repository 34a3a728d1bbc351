"""Runs one command in a fresh virtual Pi with the project in it, and shows its output.

python3 -m tests.system.virtual_pi python3 /opt/project/tests/benchmarks/daemon.py

Ends as the command does, or with 75 and one line where there can be no virtual Pi: something is
missing here, or can't be fetched.
"""

import os
import shlex
import sys

from tests.system.virtual_pi import VirtualPi, missing
from tests.system.virtual_pi.image import FetchError, disk
from tests.system.virtual_pi.machine import accelerator
from tests.system.virtual_pi.project import PROJECT, build_wheels, install


def main() -> int:
    lacking = missing()
    if lacking is not None:
        print(lacking, file=sys.stderr)
        return os.EX_TEMPFAIL
    try:
        disk()
    except FetchError as error:
        print(f"can't be fetched: {error}", file=sys.stderr)
        return os.EX_TEMPFAIL
    print(f"the guest runs on {accelerator()}", file=sys.stderr)
    with build_wheels() as wheels, VirtualPi() as pi:
        install(pi, wheels)
        pi.copy_in(PROJECT / "tests/benchmarks", "/opt/project/tests/benchmarks")
        done = pi.run(shlex.join(sys.argv[1:]), timeout=1800, check=False)
        print(done.out, end="")
        print(done.err, end="", file=sys.stderr)
        return done.code


if __name__ == "__main__":
    sys.exit(main())
