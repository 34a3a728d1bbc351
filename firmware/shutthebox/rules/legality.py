"""Says in one line why the rules forbid an action, which `Match` itself just refuses.

Each function returns None exactly if `Match` accepts the action. The text names the mistake, and a legal
action if that's short. `shutthebox.rules.actions` maps actions to these functions.
"""

from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.moves import Throw, dice_allowed, totals
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile
from shutthebox.rules.rows import bearing, reach, sum_of_move
from shutthebox.rules.tiles import Tiles, to_text, to_tiles
from shutthebox.rules.turn import BAGS, Refusal, Turn, answers, possible_throw, reopenings

_STAGES = {
    Stage.THROW: "a throw is due",
    Stage.ANSWER: "the throw on the table needs its answer first",
    Stage.ADVANCE: "the turn is over; its end comes next",
    Stage.FINISHED: "the match is over",
}


def unless(match: Match, due: Stage) -> str | None:
    """What the match is waiting for instead; None if it's waiting for this."""
    return None if match.stage is due else _STAGES[match.stage]


def why_not_out_of_time(match: Match) -> str | None:
    """Why the time of the current player can't be over; None if it can."""
    if match.game.turn_seconds is None:
        return "turns have no clock in this game"
    if match.clock_runs:
        return None
    return _STAGES[match.stage] if match.stage is not Stage.THROW else "the clock does not run before a throw"


def why_not_throw(match: Match, faces: Throw) -> str | None:
    """Why these faces can't be thrown in a match that awaits a throw; None if they can."""
    if match.common not in (None, faces):
        return f"the throw for everyone is {faces_to_text(match.common)}"
    profile, turn = match.rules, match.turn
    if possible_throw(profile, turn, faces):
        return None
    if profile.draw is Draw.DOMINOES:
        if tuple(sorted(faces)) in BAGS[profile.bag]:
            return f"the domino {min(faces)}-{max(faces)} has already been drawn"
        return f"a domino has two ends of {0 if profile.has_blanks else 1} to 6"
    refusal = match.dice_refusal(len(faces)) if faces and min(faces) >= 1 else None
    if refusal is None:
        return f"a die shows 1 to {profile.sides}"
    if len(faces) not in (1, profile.dice):
        return f"{len(faces)} dice are never thrown in this game"
    if refusal is Refusal.ONE_DIE_NOT_YET:
        alone = 1 in dice_allowed(match.own_rules, turn.open, turn.behind)
        return f"{refusal.lower()}, {'for everyone' if alone else f'with {to_text(turn.open)} open'}"
    return refusal.lower()


def why_not_shut(profile: Profile, turn: Turn, shut: Tiles) -> str | None:
    """Why these tiles (none: a pass) do not answer the throw on the table; None if they do."""
    legal, openable = answers(profile, turn), reopenings(profile, turn)
    if shut in legal or (not shut and not legal and not openable):
        return None
    if not shut:
        return f"{_example(legal)} can be shut" if legal else f"a tile must be opened: {to_text(openable)}"
    box, opened = profile.all_tiles, turn.open
    if profile.through:
        box, opened = box | box << reach(profile), opened | turn.behind << reach(profile)
    for tiles, fault in ((~box, "on the box"), (~opened, "open")):
        if shut & tiles:
            wrong = to_text(shut & tiles)
            return f"{wrong} is not {fault}" if "," not in wrong else f"{wrong} are not {fault}"
    must = profile.first_move_must_include
    if must is not None and not turn.moves and not shut & bearing(profile, must):
        return f"the first move must shut {must}"
    if profile.max_tiles is not None and shut.bit_count() > profile.max_tiles:
        return f"{to_text(shut)} are more than {profile.max_tiles} in one move"
    if shut.bit_count() < profile.min_tiles:
        return f"{to_text(shut)} are fewer than {profile.min_tiles} in one move"
    throw = turn.throw or ()
    if profile.move is MoveKind.SET:
        wanted = " or ".join(map(str, totals(profile, throw)))
        if not wanted:
            return f"{faces_to_text(throw)} makes no total here, so nothing can be shut for it"
        made = sum_of_move(profile, turn.open, turn.behind, shut)
        return f"{to_text(shut)} adds up to {made}, not {wanted}"
    allowed = ", or ".join(map(to_text, legal)) or "none"
    rule = f'with move = "{profile.move}", use {allowed}'
    return f"{to_text(shut)} does not answer {faces_to_text(throw)}: {rule}"


def why_not_open(profile: Profile, turn: Turn, tile: int) -> str | None:
    """Why this tile may not be opened for the throw on the table; None if it may."""
    openable, opened = reopenings(profile, turn), to_tiles([tile])
    if opened & openable:
        return None
    if profile.blocked is not Blocked.OPENS_ONE:
        return "shut tiles never open again in this game"
    if legal := answers(profile, turn):
        return f"no tile may be opened while {_example(legal)} can be shut"
    if opened & ~profile.starting:
        return f"{tile} is not in play"
    return f"{tile} is open already"


def _example(legal: tuple[Tiles, ...]) -> str:
    """The move with the fewest tiles, the one people see first."""
    return to_text(min(legal, key=int.bit_count))
