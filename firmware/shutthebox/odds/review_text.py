"""A decision in the coach's words."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from shutthebox.odds.coach import Decision
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.tiles import to_text
from shutthebox.texts import DECIMAL, N_, decimal_parts, fill_in, plural


def decision_text(decision: Decision, translate: Callable[[str], str]) -> str:
    """The player's choice, a better one, and the cost of the difference.

    Args:
        decision: the choice.
        translate: into the reader's language.
    """
    dice, best = decision.throw is None, not decision.cost
    if dice and best:
        text = plural(
            "player {player}, round {round}, {open} open: 1 die is best",
            "player {player}, round {round}, {open} open: {chosen} dice are best",
        )
    elif dice and decision.best == 1:
        text = N_("player {player}, round {round}, {open} open: {chosen} dice, 1 die is better")
    elif dice:
        text = N_("player {player}, round {round}, {open} open: 1 die, {best} dice are better")
    elif best:
        text = N_("player {player}, round {round}, {open} open, {throw}: {chosen} is best")
    else:
        text = N_("player {player}, round {round}, {open} open, {throw}: {chosen}, {best} is better")
    values = {
        "player": decision.player + 1,
        "round": decision.round,
        "open": to_text(decision.open),
        "throw": faces_to_text(decision.throw or ()),
        "chosen": decision.chosen if dice else _move(decision.numbers(decision.chosen)),
        "best": decision.best if dice else _move(decision.numbers(decision.best)),
    }
    filled = fill_in(text, translate, values)
    if best:
        return filled
    _, points = translate, _figure(decision.points, translate)
    cost = _("costs {points} points").format(points=points)
    if decision.win is not None and not decision.has_points:
        cost = _("costs {win} %").format(win=_figure(100 * decision.win, translate))
    elif decision.win is not None:
        cost = _("costs {win} % and {points} points").format(
            win=_figure(100 * decision.win, translate), points=points
        )
    return f"{filled}; {cost}"


def _figure(value: Fraction, translate: Callable[[str], str]) -> str:
    return fill_in(DECIMAL, translate, decimal_parts(float(value), 2))


def _move(numbers: Iterable[int]) -> str:
    return "+".join(map(str, numbers)) or "-"
