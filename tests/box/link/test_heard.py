"""Players who can't see hear what is played at the other box."""

import re
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.support.simulation import MS, Simulation, Trouble

from shutthebox.rules.actions import Moved
from shutthebox.rules.tiles import to_numbers
from shutthebox.speech.sentences import Announcer


def test_the_voice_says_what_the_player_at_the_other_box_has_shut(tmp_path: Path) -> None:
    """It said only whose turn it was."""
    with closing(Simulation(1, tmp_path, Trouble(), "traditional")) as simulation:
        announcers, heard = (Announcer(), Announcer()), (list[str](), list[str]())

        def listen(number: int, what: object, t_ns: int) -> None:
            said = announcers[number].take(what)  # type: ignore[arg-type]
            if said is not None:
                heard[number].extend(re.findall(r"The [A-Z]\w+ shut [^.]*\. \d+ left\.", said.text))

        for seat in simulation.seats:
            seat.box.observe(partial(listen, seat.number))
        moves = list[Moved]()
        while len(moves) < 3:
            for seat in simulation.seats:
                simulation.hand(seat)
            simulation.wait(200 * MS)
            moves = [fact for fact in simulation.seats[1].kept.facts if isinstance(fact, Moved) and fact.shut]
            player = simulation.seats[1].kept.match and simulation.seats[1].kept.match.player
            if moves and player == 1:
                break
    left, expected = 45, list[str]()
    for move in moves:
        *some, last = map(str, to_numbers(move.shut)[::-1])
        left -= sum(to_numbers(move.shut))
        tiles = f"{', '.join(some)} and {last}" if some else last
        expected.append(f"The Anchor shut {tiles}. {left} left.")
    assert heard[1] == expected
    assert heard[0] == [], "they have shut them"
