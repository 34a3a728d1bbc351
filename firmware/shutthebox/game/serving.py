"""Service: every lever live with its health, and levers out of play by the owner's word.

A lever that is broken cannot be used to choose with, so here a press goes from row to row, and
moving a lever goes to its own. A hold does what the row is for.
"""

from dataclasses import replace

from shutthebox.game.choosing import Choosing
from shutthebox.game.effects import Chosen, Play, Sound
from shutthebox.game.mode import Mode
from shutthebox.game.service import ASKING, FIRST_LEVER, LEAVE, SOUND
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


class Serving(Choosing):
    """What the table names for service."""

    def _open_service(self) -> None:
        ailing = to_numbers((self._state.stuck | self._state.dead) & ~self._settings.out)
        row = FIRST_LEVER + ailing[0] - 1 if ailing else LEAVE
        self._set(mode=Mode.SERVICE, picker=None, item="", row=row)

    def _leave_service(self) -> None:
        self._set(mode=Mode.ATTRACT, item="")

    def _press_in_service(self) -> None:
        if self._state.item == ASKING:
            self._put(self._settings.out ^ self._lever_at_cursor)
        else:
            self._set(row=(self._state.row + 1) % (FIRST_LEVER + self._settings.levers))

    def _hold_in_service(self) -> None:
        if self._state.item == ASKING:
            self._set(item="")
        elif self._state.row == LEAVE:
            self._leave_service()
        elif self._state.row == SOUND:
            # Heard even where the box is set to be silent: that is what is tested.
            self._effects.append(Play(Sound.WIN))
        elif replace(self._settings, out=self._settings.out ^ self._lever_at_cursor).games:
            self._set(item=ASKING)
        else:
            self._refuse(self._words("No game without it"))

    def _follow_lever(self) -> None:
        moved = to_numbers(self._flipped | self._lifted)
        if moved and self._state.item != ASKING:
            self._set(row=FIRST_LEVER + moved[0] - 1)

    @property
    def _lever_at_cursor(self) -> Tiles:
        return to_tiles([self._state.row - FIRST_LEVER + 1])

    def _put(self, out: Tiles) -> None:
        """Has these levers out of play, from the next match on."""
        self._settings = replace(self._settings, out=out)
        self._record(Chosen("box.out_of_play", to_numbers(out)))
        if self._settings.game is not None:
            self._advisor.prepare(self._settings.game)
        self._set(item="")
