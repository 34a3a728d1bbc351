"""How to play with one button and levers, in the words of both pages."""

from shutthebox.game.messages import Translate


def how_to_play(translate: Translate) -> list[list[str]]:
    """Rows of a term and its meaning."""
    _ = translate
    return [
        [
            _("The aim"),
            _(
                "Shut as many tiles as you can. After each throw, flip down levers that add up to it. "
                "When nothing fits, the turn is over."
            ),
        ],
        [_("Press"), _("Throws the dice, confirms, goes on.")],
        [
            _("Hold 0.8 s"),
            _("Throws one die where the rules allow it; opens the menu; goes back."),
        ],
        [
            _("Real dice"),
            _(
                "Press once for each pip, then hold. After the first press, you can flick the total with "
                "the levers instead."
            ),
        ],
        [_("Hint"), _("Hold the button when it's time to flip tiles. You can switch hints on in the menu.")],
        [_("Levers"), _("Until you press, you can put back levers you flipped for this throw.")],
        *map(list, choosing_and_signing(translate)),
        [_("Hold 10 s"), _("Ends the match before it's over. The box asks first: press for yes.")],
        [_("Something wrong?"), _("The display names the lever. Put it right, and the game goes on.")],
    ]


def choosing_and_signing(translate: Translate) -> tuple[tuple[str, str], ...]:
    """What levers do when there's no tile to shut, as rows for the pages and the printed sheet."""
    _ = translate
    return (
        (
            _("Choose"),
            _(
                "In a list, flick lever 1, 2, 3… to choose that line. In a long list, the "
                "last two levers scroll."
            ),
        ),
        (_("At the end"), _("Flick lever 1 or 2, and the winner signs with three letters.")),
    )
