"""The coach on the page: luck, mistakes, and each decision with its row and dice to draw."""

from collections.abc import Sequence
from typing import TypeAlias

from shutthebox.game.coach_pages import coach_pages, signed_text
from shutthebox.game.messages import Text, Translate, localize
from shutthebox.odds.coach import Decision, MatchReview
from shutthebox.odds.review_text import decision_text
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers

CoachDocument: TypeAlias = dict[str, object]
"""As JSON: `pages` are a title and rows of two columns, `moves` are the choices."""


def coach_document(
    review: MatchReview,
    game: Profile,
    seats: Sequence[Text],
    translate: Translate,
    computers: Sequence[int] = (),
) -> CoachDocument:
    """A review for the page, without the computer's decisions.

    Args:
        review: of a turn or a match.
        game: the game that was played.
        seats: what each player is called.
        translate: into the page's language.
        computers: the seats, from 1, that the computer plays.
    """
    pages = coach_pages(review, highest_wins=game.highest_wins)
    names = [localize(seat, translate) for seat in seats]
    return {
        "pages": [
            [
                localize(page.title(seats), translate),
                [[localize(row.text, translate), localize(row.value, translate)] for row in page.rows(seats)],
            ]
            for page in pages
        ],
        "moves": [
            _move(decision, game, names, translate)
            for decision in review.decisions
            if decision.player + 1 not in computers
        ],
    }


def _move(decision: Decision, game: Profile, seats: Sequence[str], translate: Translate) -> CoachDocument:
    """A decision: `dice` are the faces, or as many zeros; `row` is each tile and what became of it."""
    chosen, best = decision.chosen, decision.best
    if decision.throw is None:
        dice, chosen, best = [0] * decision.chosen, 0, 0
    else:
        dice = list(decision.throw)
    cost = signed_text(-decision.cost, in_chance=decision.win is not None)
    row = [
        [tile, bool(decision.open & bit), bool(chosen & bit), bool(best & bit)]
        for tile in to_numbers(game.all_tiles)
        for bit in (1 << (tile - 1),)
    ]
    return {
        "player": seats[decision.player],
        "dice": dice,
        "better_dice": [0] * decision.best if decision.throw is None and decision.cost else [],
        "row": row,
        "cost": localize(cost, translate) if decision.cost else "",
        "text": decision_text(decision, translate),
    }
