"""The debouncer on made-up traces, against stable-for said plainly."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shutthebox.game.switches.debounce import Debouncer, SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON

MS = 1_000_000
SETTLE = {DICE_BUTTON: 25 * MS, 1: 40 * MS, 2: 40 * MS, 3: 7 * MS}
Trace = list[tuple[int, int, bool]]
"""Edges as (time in ns, switch, state), in the order of their times."""


def bank(down: tuple[int, ...] = ()) -> Debouncer:
    return Debouncer(SETTLE, {switch: switch in down for switch in SETTLE}, 0)


@st.composite
def traces(draw: st.DrawFn, most: int = 30) -> Trace:
    """Edges any time from the same moment to long after each other, true or repeated."""
    gaps = st.one_of(
        st.integers(0, 3 * MS), st.integers(0, 100 * MS), st.sampled_from([7 * MS, 25 * MS, 40 * MS])
    )
    t_ns, trace = 0, []
    for gap, switch, state in draw(
        st.lists(st.tuples(gaps, st.sampled_from(sorted(SETTLE)), st.booleans()), max_size=most)
    ):
        t_ns += gap
        trace.append((t_ns, switch, state))
    return trace


def contact_traces(trace: Trace) -> Trace:
    """The trace as a contact makes it: every edge of a switch is a change."""
    state = dict.fromkeys(SETTLE, False)
    edges = []
    for t_ns, switch, _ in trace:
        state[switch] = not state[switch]
        edges.append((t_ns, switch, state[switch]))
    return edges


def stable_for(trace: Trace) -> list[SwitchChanged]:
    """The rule: a state counts once no further edge of its switch has come for the window."""
    events = []
    for switch, settle_ns in SETTLE.items():
        settled = False
        edges = [(t_ns, state) for t_ns, at, state in trace if at == switch]
        for (t_ns, state), (next_ns, _) in pairwise([*edges, (1 << 62, False)]):
            if next_ns - t_ns >= settle_ns and state != settled:
                settled = state
                events.append(SwitchChanged(switch, state, t_ns + settle_ns))
    return sorted(events, key=lambda event: (event.t_ns, event.switch))


def run(debouncer: Debouncer, trace: Trace, polls: list[int] | None = None) -> list[SwitchChanged]:
    """Everything that settles while the trace is played, asked for at these times too."""
    events = []
    waiting = sorted(polls or [])
    for t_ns, switch, state in trace:
        while waiting and waiting[0] <= t_ns:
            events += debouncer.settle(waiting.pop(0))
        events += debouncer.edge(switch, state, t_ns)
    return events + debouncer.settle(1 << 61)


@given(traces(), st.lists(st.integers(0, 2_000 * MS), max_size=20))
def test_a_state_counts_once_it_has_stood(trace: Trace, polls: list[int]) -> None:
    events = run(bank(), trace, polls)
    assert sorted(events, key=lambda event: (event.t_ns, event.switch)) == stable_for(trace)


@given(traces(), st.data())
def test_the_last_state_is_right_even_if_stamps_come_out_of_order(trace: Trace, data: st.DataObject) -> None:
    late = [
        (max(0, t_ns - data.draw(st.integers(0, 60 * MS))), switch, state) for t_ns, switch, state in trace
    ]
    settled = dict.fromkeys(SETTLE, False)
    for event in run(bank(), late):
        settled[event.switch] = event.active
    assert settled == {**dict.fromkeys(SETTLE, False), **{switch: state for _, switch, state in trace}}


@given(traces(), st.data())
def test_reconcile_makes_lost_edges_good(trace: Trace, data: st.DataObject) -> None:
    edges = contact_traces(trace)
    truth = {**dict.fromkeys(SETTLE, False), **{switch: state for _, switch, state in edges}}
    kept = [edge for edge in edges if data.draw(st.booleans())]
    debouncer, settled = bank(), dict.fromkeys(SETTLE, False)
    events = run(debouncer, kept)
    events += debouncer.reconcile(truth, 1 << 61)
    events += debouncer.settle(1 << 62)
    for event in events:
        settled[event.switch] = event.active
    assert settled == truth
    assert debouncer.reconcile(truth, 1 << 62) == []
    assert debouncer.deadline_ns is None


@given(traces())
def test_the_deadline_is_when_something_happens(trace: Trace) -> None:
    debouncer = bank()
    for t_ns, switch, state in trace:
        debouncer.edge(switch, state, t_ns)
        deadline = debouncer.deadline_ns
        assert deadline is not None
        assert deadline > t_ns
        assert debouncer.settle(deadline - 1) == []
        assert debouncer.deadline_ns == deadline
    while (deadline := debouncer.deadline_ns) is not None:
        debouncer.settle(deadline)
        assert debouncer.deadline_ns is None or debouncer.deadline_ns > deadline


def test_a_contact_without_rest_is_told_from_one_that_bounces() -> None:
    debouncer = Debouncer(SETTLE, dict.fromkeys(SETTLE, False), 0)
    late, long = 1_000_000 * MS, 2_000 * MS
    debouncer.edge(1, True, late)
    assert not debouncer.health(late + 20 * MS)[1].restless
    for at in range(0, long, 20 * MS):
        debouncer.edge(1, at % (40 * MS) == 0, late + at)
        assert not debouncer.health(late + at)[1].restless
    assert debouncer.health(late + long)[1].restless
    debouncer.edge(2, True, late + long)
    debouncer.settle(late + long + 40 * MS)
    assert not debouncer.health(late + long + 40 * MS)[1].restless, "it has come to rest"


def test_moves_and_who_stands_still_meanwhile() -> None:
    debouncer = Debouncer(SETTLE, dict.fromkeys(SETTLE, False), 0)
    for turn in range(1, 6):
        debouncer.edge(1, turn % 2 == 1, turn * 100 * MS)
    debouncer.edge(2, True, 1_000 * MS)
    debouncer.settle(2_000 * MS)
    health = debouncer.health(2_000 * MS)
    assert (health[1].moves, health[1].idle) == (5, 1)
    assert (health[2].moves, health[2].idle) == (1, 0)
    assert (health[3].moves, health[3].idle) == (0, 6)
