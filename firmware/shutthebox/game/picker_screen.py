"""The screen of a list that the levers choose from."""

from shutthebox.game.effects import Effect, PlaySound, Sound
from shutthebox.game.messages import Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.picker import Picker
from shutthebox.game.screen import LIST_ROWS, Screen
from shutthebox.game.state import Context


def follow_flicks(picker: Picker, context: Context) -> tuple[Picker, tuple[Effect, ...], Message | None]:
    """Returns the picker after these lever moves, the sound to play, and why a lever chose nothing."""
    after, flicked = picker.follow(context.moved)
    if not flicked:
        return after, (), None
    if any(picker.choose(lever) for lever in flicked):
        return after, (PlaySound(Sound.CHOICE),), None
    return after, (PlaySound(Sound.REFUSED),), picker.help


def picker_screen(
    mode: Mode, picker: Picker, *, paragraph: Text = "", hold: Text = "", reads: bool = False
) -> Screen:
    """The options with their levers' numbers. An option that is a number is drawn large, on its own.

    Args:
        mode: which.
        picker: the choice.
        paragraph: about the option at the cursor.
        hold: what a hold does; by default it goes back.
        reads: the options are for reading only, and a press goes back too.
    """
    hold = hold or message("Hold: back")
    press = message("Press: back") if reads else message("Press: choose")
    also = (picker.help, *(() if reads else (hold,)))
    chosen = picker.options[picker.cursor]
    if isinstance(chosen, str) and chosen.isdigit():
        large = Screen(mode, title=picker.heading, big=chosen, prompt=press, also=also, lit=True)
        return large.led_by(picker.flicks.reminder)
    rows = tuple(
        message("{number} {option}", number=number, option=option)
        if number <= picker.choosing and not reads
        else option
        for number, option in enumerate(picker.options, 1)
    )
    # Next to a paragraph, only the chosen line is shown; otherwise the cursor's is in the middle.
    last = picker.cursor if paragraph else max(LIST_ROWS - 1, picker.cursor + LIST_ROWS // 2)
    more = len(rows) - 1 - last
    return Screen(
        mode,
        title=picker.heading,
        aside=message("{count} more", count=more) if more > 0 else "",
        rows=rows,
        cursor=picker.cursor,
        paragraph=paragraph,
        prompt=press,
        also=also,
        lit=True,
    ).led_by(picker.flicks.reminder)
