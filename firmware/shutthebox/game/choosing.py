"""The machine between matches: attract, menu, setup, and the winner's initials."""

from shutthebox.game import menu
from shutthebox.game.effects import (
    Chosen,
    Left,
    Settled,
    Signed,
)
from shutthebox.game.mode import Mode
from shutthebox.game.picker import Picker
from shutthebox.game.playing import Playing
from shutthebox.rules.tiles import to_numbers

INITIALS = 3
"""Letters that a winner signs with."""


class Choosing(Playing):
    """What the table names for the modes in which something is chosen."""

    def _start(self) -> None:
        if self._settings.game is None:
            out = ", ".join(map(str, to_numbers(self._settings.out & self._settings.profile.all_tiles)))
            self._refuse(self._words("Not without lever {tiles}").format(tiles=out))
            return
        if self._settings.usual:
            self._begin()
            return
        first = menu.setup_questions(self._settings)[0]
        picker = menu.question(first, self._settings, self._words)
        self._set(mode=Mode.SETUP, item=first, picker=picker, chosen_with=0)

    def _open_menu(self) -> None:
        picker = menu.menu(self._settings, self._words, self._state.ledger)
        self._set(mode=Mode.MENU, item="", picker=picker, chosen_with=0)

    def _open_service(self) -> None:
        raise NotImplementedError

    def _choose(self) -> None:
        picker = self._state.picker
        assert picker is not None, "menu and setup have a picker"
        for lever in self._levers_put_back():
            picker = picker.choose(lever)
        self._set(picker=picker)

    def _take_choice(self) -> str | int | bool | tuple[int, ...]:
        picker = self._state.picker
        assert picker is not None, "menu and setup have a picker"
        self._settings, value = menu.choose(self._state.item, picker.cursor, self._settings)
        return value

    def _confirm_menu(self) -> None:
        picker = self._state.picker
        assert picker is not None, "the menu has a picker"
        item = self._state.item
        if not item:
            item = menu.items(self._settings, self._state.ledger)[picker.cursor]
            if item == menu.SERVICE:
                self._open_service()
                return
            self._set(item=item, picker=self._question(item))
            return
        if item == menu.SETTLE:
            if picker.cursor:
                self._record(Settled())
                self._set(ledger=())
        elif item != menu.STATISTICS:
            value = self._take_choice()
            self._record(Chosen(item, value))
            if item == "game.profile":
                # Another game has rounds of its own.
                self._record(Chosen("game.rounds", None))
        self._leave_menu()

    def _question(self, item: str) -> Picker:
        if item == menu.STATISTICS:
            lines = tuple(self._statistics(self._words)) or ("-",)
            return Picker(self._words("Statistics"), lines, 0, self._settings.levers)
        return menu.question(item, self._settings, self._words)

    def _leave_menu(self) -> None:
        if self._state.item:
            picker = menu.menu(self._settings, self._words, self._state.ledger, self._state.item)
            self._set(item="", picker=picker)
        else:
            self._set(mode=Mode.ATTRACT, picker=None)

    def _confirm_setup(self) -> None:
        questions = menu.setup_questions(self._settings)
        self._take_choice()  # which may leave fewer questions
        at = questions.index(self._state.item) + 1
        if at == len(questions):
            self._begin()
        else:
            item = questions[at]
            self._set(item=item, picker=menu.question(item, self._settings, self._words))

    def _back_in_setup(self) -> None:
        questions = menu.setup_questions(self._settings)
        at = questions.index(self._state.item) - 1
        if at < 0:
            self._set(mode=Mode.ATTRACT, picker=None, item="")
        else:
            item = questions[at]
            self._set(item=item, picker=menu.question(item, self._settings, self._words))

    def _give_up_waiting(self) -> None:
        if self._state.match is not None:
            self._record(Left())
        self._set(mode=Mode.ATTRACT, picker=None, item="", match=None)

    def _levers_after_match(self) -> None:
        result = self._match.result
        assert result is not None, "the match is over"
        if self._state.signed is None and result.winners and set(self._levers_put_back()) & {1, 2}:
            self._set(mode=Mode.INITIALS, signed="", letter="A")

    def _change_letter(self) -> None:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        at = letters.index(self._state.letter)
        for lever in self._levers_put_back():
            at += {1: -1, 2: 1}.get(lever, 0)
        self._set(letter=letters[at % len(letters)])

    def _take_letter(self) -> None:
        signed = (self._state.signed or "") + self._state.letter
        self._set(signed=signed, letter="A")
        if len(signed) == INITIALS:
            result = self._match.result
            assert result is not None, "only a winner signs"
            self._record(Signed(result.winners[0], signed))
            self._set(mode=Mode.MATCH_OVER)

    def _leave_initials(self) -> None:
        self._set(mode=Mode.MATCH_OVER, signed=None)
