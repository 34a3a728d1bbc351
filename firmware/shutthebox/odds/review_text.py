"""A decision in words, as the coach puts it."""

from collections.abc import Callable

from shutthebox.odds.coach import Decision
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.tiles import Tiles, to_numbers, to_text


def decision_text(decision: Decision, translate: Callable[[str], str]) -> str:
    """The player's choice, a better one, and the cost of the difference.

    Args:
        decision: the choice.
        translate: into the reader's language.
    """
    _, dice, best = translate, decision.throw is None, not decision.cost
    if dice and best and decision.chosen == 1:
        text = _("player {player}, round {round}, {open} open: 1 die is best")
    elif dice and best:
        text = _("player {player}, round {round}, {open} open: {chosen} dice are best")
    elif dice and decision.best == 1:
        text = _("player {player}, round {round}, {open} open: {chosen} dice, 1 die is better")
    elif dice:
        text = _("player {player}, round {round}, {open} open: 1 die, {best} dice are better")
    elif best:
        text = _("player {player}, round {round}, {open} open, {throw}: {chosen} is best")
    else:
        text = _("player {player}, round {round}, {open} open, {throw}: {chosen}, {best} is better")
    filled = text.format(
        player=decision.player + 1,
        round=decision.round,
        open=to_text(decision.open),
        throw=faces_to_text(decision.throw or ()),
        chosen=decision.chosen if dice else _move(decision.chosen),
        best=decision.best if dice else _move(decision.best),
    )
    if best:
        return filled
    points = f"{float(decision.points):.2f}"
    cost = _("costs {points} points").format(points=points)
    if decision.win is not None:
        cost = _("costs {win} % and {points} points").format(
            win=f"{100 * float(decision.win):.2f}", points=points
        )
    return f"{filled}; {cost}"


def _move(tiles: Tiles) -> str:
    return "+".join(map(str, to_numbers(tiles))) or "-"
