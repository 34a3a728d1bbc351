"""The coach's pages after a match: behind lever 4, and never in the way of a fast player."""

from collections.abc import Sequence

from tests.support.machine import Odds, Table, settings_for

from shutthebox.adapters.odds_worker import InlineOdds
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Ask
from shutthebox.game.mode import Mode
from shutthebox.game.settings import DiceKind
from shutthebox.odds.questions import AskReview, OddsReady, Question, ReviewReady, answer_without_odds
from shutthebox.rules.actions import Advanced, Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles


def moved(*tiles: int) -> Moved:
    return Moved(to_tiles(tiles))


ACTIONS = (
    *(Thrown((6, 4)), moved(4, 6), Thrown((6, 6)), moved(5, 7), Thrown((4, 3)), Advanced()),
    *(Thrown((6, 3)), moved(9), Thrown((5, 5)), moved(2, 8), Thrown((6, 6)), moved(5, 7), Thrown((1, 1))),
)
"""Two turns, blocked with 23 and with 14."""


class Later:
    """Odds that answer everything but the coach, who comes when the test says."""

    def ask(self, question: Question) -> Sequence[OddsReady]:
        if isinstance(question, AskReview):
            return ()
        advice = answer_without_odds(question)
        return () if advice is None else (advice,)


def played(odds: Odds, dice: DiceKind = DiceKind.AUTO) -> Table:
    """A match that has just been decided."""
    profile = builtin("traditional")
    settings = settings_for(profile, players=2, dice=dice)
    table = Table(settings, match=begin(profile, 2), actions=ACTIONS, down=[2, 5, 7, 8, 9], odds=odds)
    table.press()
    assert table.mode is Mode.MATCH_OVER
    return table


def test_pages_are_behind_a_lever_and_lead_back_to_the_result() -> None:
    table = played(InlineOdds())
    result = table.screen
    assert "4: coach" in table.text
    assert "mistakes" not in table.text
    seen = []
    for _ in range(5):
        table.choose(4)
        seen.append(table.screen)
        # "Again" would be the page once more.
        again = table.screen == result
        assert table.screen.prompt == ("Press: again · hold: end" if again else "Lever 4: next")
        assert again or table.screen.also == ("Press: new match", "Hold: end")
    titles = [screen.title for screen in seen]
    assert titles[2:4] == ["Turning point", "Costliest move"]
    assert all(screen.rows[0].startswith("accuracy\t") for screen in seen[:2])
    assert seen[0].rows[1].startswith("luck\t")
    assert seen[0].rows[2].startswith("decisions\t-")
    assert "for 6+6\t5+7" in seen[3].rows
    assert "better\t3+9" in seen[3].rows
    assert seen[4] == result


def test_a_press_begins_the_next_match_from_any_page() -> None:
    for pages in range(4):
        table = played(InlineOdds())
        for _ in range(pages):
            table.choose(4)
        table.press()
        assert table.mode in (Mode.RAISING, Mode.READY)


def test_who_does_not_wait_for_the_coach_never_sees_one() -> None:
    table = played(Later())
    effects = table.choose(4)
    asked = [effect.question for effect in effects if isinstance(effect, Ask)]
    assert len(asked) == 1
    assert table.screen.prompt == "Thinking…"
    assert not [effect for effect in table.choose(4) if isinstance(effect, Ask)], "asked once"
    table.press()
    assert table.mode in (Mode.RAISING, Mode.READY)
    question = asked[0]
    assert isinstance(question, AskReview)
    table.give(ReviewReady(question.beginning, question.actions, None), 0)
    assert table.mode in (Mode.RAISING, Mode.READY)


def test_the_coach_knows_whether_players_enter_totals_of_their_own_dice() -> None:
    for dice in DiceKind:
        effects = played(Later(), dice).choose(4)
        (question,) = (effect.question for effect in effects if isinstance(effect, Ask))
        assert isinstance(question, AskReview)
        assert question.real_dice == (dice is DiceKind.REAL)
