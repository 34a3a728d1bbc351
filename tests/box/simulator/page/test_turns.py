"""The turns of a match on the page."""

from dataclasses import replace

from tests.box.simulator.page.pages import shown
from tests.support.machine import settings_for
from tests.support.shows import changed

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Form
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.odds.coach import MatchReview, review
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.page.transcript import Transcript
from shutthebox.simulator.page.turns import SHOWN, TurnList


def test_throws_tiles_and_scores_in_order() -> None:
    beginning = begin(builtin("pub"), 2)
    actions = (
        Thrown((6, 6)),
        Moved(to_tiles([3, 9])),
        Thrown((6, 6)),
        Moved(to_tiles([4, 8])),
        Thrown((6, 6)),
        Moved(to_tiles([5, 7])),
        Thrown((6, 6)),
        Advanced(),
        Thrown((1, 2)),
    )
    turns = TurnList()
    step_by_step = [turns.follow(beginning, actions[:count]) for count in range(len(actions) + 1)]
    assert step_by_step[0] == []
    assert [throw["tiles"] for throw in step_by_step[-1][0]["throws"]] == [[3, 9], [4, 8], [5, 7], []]
    assert [(turn["player"], turn["score"]) for turn in step_by_step[-1]] == [(0, 9), (1, None)]
    assert step_by_step[-1] == TurnList().follow(beginning, actions), "continued, it is the same"
    assert step_by_step[1][0]["throws"] == [{"dice": [6, 6], "tiles": [], "opened": []}]
    assert turns.follow(None, ()) == []


def test_in_a_tug_the_tiles_that_the_other_has_opened_are_told_as_open() -> None:
    shutting = (Thrown((1, 2)), Moved(to_tiles([3])), Thrown((1, 2)), Moved(to_tiles([1, 2])), Thrown((1, 2)))
    opening = (Advanced(), Thrown((1, 2)), Moved(to_tiles([3])))
    _, opener = TurnList().follow(begin(builtin("long-game"), 2), (*shutting, *opening))
    assert opener["throws"] == [{"dice": [1, 2], "tiles": [], "opened": [3]}]


def test_a_long_match_is_bounded_and_no_rule_breaks_it() -> None:
    opens = replace(builtin("pub"), turn_seconds=5)
    beginning = begin(opens, 2, 99)
    one_turn: tuple[Action, ...] = (Thrown((1, 2)), OutOfTime(), Advanced())
    actions = one_turn * (2 * SHOWN)
    assert len(TurnList().follow(beginning, actions)) == SHOWN


def test_after_the_computers_turn_people_read_of_their_own() -> None:
    pub = builtin("pub")
    settings = settings_for(pub, computers=(2,))
    form = Form(settings, (), is_open=False, walks=False)
    transcript = Transcript()

    def turn_over(player: int, found: MatchReview) -> None:
        screen = Screen(Mode.TURN_OVER)
        transcript(
            changed(shown(screen, game=pub), player=player, seats=("A", "B"), form=form, review=found), 0
        )

    actions = (Thrown((6, 4)), Moved(to_tiles([4, 6])), Thrown((6, 6)), Moved(to_tiles([5, 7])))
    turn_over(1, review(begin(pub, 2), actions, for_win=False))
    mine = transcript.words.coach
    assert mine is not None
    turn_over(2, review(begin(pub, 2), actions[:2], for_win=False))
    assert transcript.words.coach is mine


def test_nobody_reads_the_coach_on_the_last_players_match() -> None:
    pub = builtin("pub")
    transcript = Transcript()
    found = review(begin(pub, 2), (Thrown((6, 4)), Moved(to_tiles([4, 6]))), for_win=False)
    transcript(changed(shown(Screen(Mode.MATCH_OVER), game=pub), seats=("A", "B"), review=found), 0)
    assert transcript.words.coach is not None
    transcript(shown(Screen(Mode.ATTRACT)), 0)
    assert transcript.words.coach is None
