"""Resuming a match that a power cut interrupted."""

from shutthebox.game.facts import Resumed
from shutthebox.game.play import (
    apply_fact,
    ask_reviews,
    begin_play,
    clock_of,
    conditions_of,
    keep_result,
    tell_peer,
)
from shutthebox.game.state import Context, Step, ask_link, keep
from shutthebox.game.stored_match import KeptMatch
from shutthebox.game.targets import EndMatch, ShowResult, Target, after
from shutthebox.link.requests import Rejoin


def resume(kept_match: KeptMatch, context: Context) -> Step[Target]:
    """Replays the stored actions and judges the levers as they stand now."""
    shared, linked = context.shared, kept_match.linked
    if linked is not None:
        shared = shared._replace(boxes=linked.agreement.names, sent_ns=context.now_ns)
    play, effects = begin_play(kept_match.beginning, shared.settings, kept_match.tally)
    effects += keep(Resumed(conditions_of(kept_match.beginning, shared.settings)))
    seconds, before = kept_match.clock or (None, 0)
    for number, action in enumerate(kept_match.actions, 1):
        play = apply_fact(play, action)
        if number > before and not play.match.clock_runs:
            seconds = None  # that turn is over
    if seconds is not None:
        play = play._replace(clock=clock_of(seconds, context.now_ns))
    play = play._replace(linked=linked)
    effects += (*ask_reviews(play), *keep_result(play))
    if linked is not None:
        effects += (*ask_link(Rejoin(linked.session)), *tell_peer(play))
    target = after(play)
    return Step(ShowResult(play, {}) if isinstance(target, EndMatch) else target, effects, shared)
