"""Steps that follow one another count as one."""

import ast
from dataclasses import replace
from pathlib import Path

from tests.support.machine import Queue, settings_for

from shutthebox import game
from shutthebox.game.daily import Daily
from shutthebox.game.effects import Sound, Sounded
from shutthebox.game.messages import Message, message
from shutthebox.game.past import Past
from shutthebox.game.state import Context, Overlay, Shared, Step

SHARED = Shared(settings_for(), levers=0, touched_ns=0)
ASLEEP, DEAF = replace(SHARED, overlay=Overlay.ASLEEP), replace(SHARED, refusal=message("Why"))


def nobody() -> Daily | None:
    return None


CONTEXT = Context(5, SHARED, Queue(), tuple, lambda match, letters: Past(), nobody, 0)


def after(shared: Shared | None, refusal: Message | None, *, finds: Shared) -> Step[str]:
    """A step from the mode "first", followed by one with these results, which finds this shared state."""

    def handler(mode: str, context: Context) -> Step[str]:
        assert (mode, context) == ("first", replace(CONTEXT, shared=finds))
        return Step("second", (Sounded(Sound.WIN),), shared, refusal)

    before = None if finds is SHARED else finds
    return Step("first", (Sounded(Sound.ROLL),), before, message("First")).then(handler, CONTEXT)


def test_the_later_step_finds_what_the_first_has_changed_and_its_own_changes_hold() -> None:
    effects = (Sounded(Sound.ROLL), Sounded(Sound.WIN))
    second = message("Second")
    assert after(None, None, finds=SHARED) == Step("second", effects, None, message("First"))
    assert after(None, None, finds=ASLEEP) == Step("second", effects, ASLEEP, message("First"))
    assert after(DEAF, second, finds=ASLEEP) == Step("second", effects, DEAF, second)
    assert after(DEAF, second, finds=SHARED) == Step("second", effects, DEAF, second)


def test_handlers_judge_a_turn_by_the_rules_of_its_seat() -> None:
    """The table's game knows no head start of a seat: with it a match would get stuck."""
    wrong = []
    for path in sorted(Path(game.__file__).parent.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call):
                given = {ast.unparse(argument) for argument in call.args}
                wrong += [
                    f"{path.name}:{call.lineno}: {ast.unparse(call)}"
                    for table in given
                    if table.endswith("match.game") and table.removesuffix("game") + "turn" in given
                ]
    assert wrong == []
