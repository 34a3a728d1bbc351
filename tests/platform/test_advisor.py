"""The odds at the box: what the advisor knows, when it knows it, and what the computer plays for."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from tests.game.table import S, Table, settings_for

from shutthebox.config import Config, Game, Setup
from shutthebox.game.mode import Mode
from shutthebox.odds import Odds
from shutthebox.odds.advice import Account, Step
from shutthebox.odds.versus import Duel, Rivals
from shutthebox.platform.advisor import OddsAdvisor
from shutthebox.profiles import builtin
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.simulator.virtual import VirtualBox

PUB = builtin("pub")


def prepared(name: str) -> OddsAdvisor:
    advisor = OddsAdvisor(wait=True)
    advisor.prepare(builtin(name))
    return advisor


def test_a_hint_knows_the_score_that_is_played_for() -> None:
    thrown = (6, 4)
    for name, best in (("traditional", [1, 9]), ("digits", [4, 6])):
        hint = prepared(name).hint(begin(builtin(name), 1).throw(thrown))
        assert hint is not None
        assert hint.best == to_tiles(best)


def test_nothing_is_known_before_the_table_is_made() -> None:
    advisor = OddsAdvisor(wait=True)
    match = begin(PUB, 1).throw((6, 4))
    assert advisor.hint(match) is None
    assert advisor.account(PUB, [Step((6, 4))]) is None


def test_the_table_is_made_off_the_callers_thread() -> None:
    advisor = OddsAdvisor()
    advisor.prepare(PUB)
    for thread in threading.enumerate():
        if thread.name == "odds":
            thread.join()
    assert advisor.hint(begin(PUB, 1).throw((6, 4))) is not None


def test_above_twelve_tiles_there_is_no_hint_but_a_computer_still_plays() -> None:
    match = begin(builtin("the-300"), 2).throw((6, 6, 6, 5))
    advisor = prepared("the-300")
    assert advisor.hint(match) is None
    assert advisor.answer(match) == to_tiles([23])


def behind(total: int, open_tiles: Tiles) -> Match:
    """The second player in mid-turn, with the first one's total to beat."""
    match = begin(PUB, 2)
    first = replace(match.rows[0], outcome=turns.Outcome.BLOCKED, score=total)
    second = turns.Turn(open_tiles, throws=1, moves=1)
    return replace(match, player=1, totals=(total, 0), scores=(total, None), rows=(first, second))


def test_the_computer_plays_for_the_win_not_for_the_points() -> None:
    advisor, odds = prepared("pub"), Odds(PUB)
    duel = Duel(PUB, Rivals(done=(9,)))
    differing = 0
    for open_tiles in range(64, 512, 7):
        for faces in product(range(1, 7), repeat=2):
            match = behind(9, open_tiles).throw(faces)
            if match.stage is Stage.ANSWER:
                answer = advisor.answer(match)
                assert answer == duel.ranked(match.turn)[0].tiles
                differing += answer != odds.ranked(match.turn)[0].tiles
    assert differing, "with something to beat, other moves win than score"


def test_luck_and_decisions_make_up_the_score_on_the_box() -> None:
    """Twenty turns of a box played at random: what the dice did and what the hands gave away."""
    world = VirtualBox(Config(game=Game(profile="pub", players=1, setup=Setup.USUAL)), seed=4)
    random = Random(4)
    finished = 0
    while finished < 20:
        state = world.runner.machine.state
        match = state.match
        if match is not None and state.mode in (Mode.RAISE, Mode.FLIPPING):
            levers = match.profile.starting & ~match.turn.open
            if state.mode is Mode.FLIPPING:
                levers |= random.choice(turns.answers(match.profile, match.turn))
            for number in world.box.levers:
                world.set_lever(number, bool(levers >> (number - 1) & 1))
            world.run_until(world.now_ns + 50_000_000)
        if match is not None and world.runner.machine.state.mode is Mode.TURN_OVER:
            account = world.runner.machine.state.account
            over = world.runner.machine.state.match
            assert account is not None
            assert over is not None
            assert account.start == Odds(PUB).points(turns.start(PUB))
            assert account.start + account.luck + account.given_away == over.turn.score
            finished += 1
        world.press(100_000_000)
        world.run_until(world.now_ns + 1_000_000_000)
    world.close()


class Late(OddsAdvisor):
    """Its table is not there before it is told to be."""

    def __init__(self) -> None:
        super().__init__(wait=True)
        self.there = False

    def account(self, profile: Profile, steps: Sequence[Step]) -> Account | None:
        return super().account(profile, steps) if self.there else None


def play_turn(table: Table, throw: Throw) -> None:
    """Throws nothing else, and shuts the first answer, until blocked."""
    while (state := table.machine.state).mode is not Mode.TURN_OVER:
        table.dice.throws[:] = [throw]
        if state.mode is Mode.FLIPPING:
            answer = turns.answers(PUB, table.match.turn)[0]
            table.stand([*table.down, *to_numbers(answer)])
        table.press()
        table.wait(S)


@pytest.mark.parametrize("cut_after", [0, 1])
def test_a_power_cut_takes_no_turn_out_of_the_matchs_account(cut_after: int) -> None:
    settings = settings_for("pub", players=3)
    whole, cut = (Table(settings, advisor=OddsAdvisor(wait=True)) for _ in range(2))
    late = Late()
    for player in range(3):
        late.there = player > cut_after
        play_turn(whole, (player + 1, 2))
        play_turn(cut, (player + 1, 2))
        if player == cut_after:
            cut = cut.again(advisor=late)
        for table in (whole, cut):
            table.press()
            table.stand(())
    assert whole.machine.state.mode is cut.machine.state.mode is Mode.MATCH_OVER
    assert any(whole.machine.state.luck)
    assert (cut.machine.state.luck, cut.machine.state.given_away) == (
        whole.machine.state.luck,
        whole.machine.state.given_away,
    )
    assert cut.screen == whole.screen
