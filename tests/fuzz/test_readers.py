"""Every reader of foreign files: one line of complaint at worst, soon, in little memory.

`python tests/fuzz/run.py READER` goes on for longer, guided by coverage.
"""

import subprocess
import sys
from pathlib import Path
from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings
from tests.fuzz.hostile import HOSTILE
from tests.fuzz.readers import COLUMNS, READERS, Change, Value, encode, kept, spoilt
from tests.support.fast import fast_among

# Hundreds of inputs to a test, on machines that do other things too.
SLOW = pytest.mark.timeout(180)
RUN = Path(__file__).with_name("run.py")
QUIET = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
FEWER = settings(QUIET, max_examples=max(1, QUIET.max_examples // 3))
"""A store is read by every command, which takes as long as hundreds of other files."""


@SLOW
@pytest.mark.parametrize(
    "name", fast_among([name for name in READERS if name != "rows"], {*READERS} - {"rows", "store"})
)
def test_nothing_but_a_complaint(name: str) -> None:
    reader, samples = READERS[name], READERS[name].samples()

    @settings(FEWER if name == "store" else settings(QUIET, max_examples=2 * QUIET.max_examples))
    @given(st.integers(0, 2**64 - 1))
    def read(seed: int) -> None:
        reader.read(spoilt(samples, Random(seed)))

    read()


VALUES: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-2, 12),
    st.floats(),
    st.binary(max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(
        ["1/0", "nan", "[" * 3000, "9" * 5000, "next", "shut 1", "throw 1+1", '"a"', "1e99999999"]
    ),
)
CHANGES: st.SearchStrategy[list[Change]] = st.lists(
    st.tuples(st.integers(0, len(COLUMNS) - 1), VALUES), min_size=1, max_size=3
)


@pytest.mark.slow
@SLOW
@settings(FEWER)
@given(CHANGES)
@example([(COLUMNS.index(("result", "player")), 2**62)])
@example([(COLUMNS.index(("result", "owes")), "1e99999999")])
@example([(COLUMNS.index(("throws", "sides")), 10**6)])
@example([(COLUMNS.index(("fault", "at_s")), 2**62)])
def test_rows_that_nobody_has_written(changes: list[Change]) -> None:
    READERS["rows"].read(encode(changes))


@SLOW
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_one_damaged_byte(seed: int) -> None:
    """Every command that reads a store says one clean line at worst, and the box plays on."""
    rng, content = Random(f"{seed} damage"), kept()
    used = [at for at, byte in enumerate(content) if byte]
    for at in rng.sample(used, 16):
        damaged = bytearray(content)
        damaged[at] = rng.choice((0xFF, 0x0A, 0x1B, 0x9B, 0x00, rng.randrange(256)))
        READERS["store"].read(bytes(damaged))


@pytest.mark.parametrize("name", fast_among(READERS, {*READERS} - {"rows"}))
def test_good_inputs_are_read(name: str) -> None:
    for sample in READERS[name].samples()[:5]:
        READERS[name].read(sample)


@pytest.mark.slow
@SLOW
@pytest.mark.parametrize("name", READERS)
def test_the_worst_takes_little_time_and_memory(name: str) -> None:
    """In a process of its own, that is killed where it takes too long, and tells how much it took."""
    command = [sys.executable, str(RUN), name, "--hostile"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert f"{name}: {len(HOSTILE[name])} hostile inputs" in done.stdout
