"""An invitation to a linked match: what the host proposes, and what the guest makes of it."""

from dataclasses import replace
from functools import lru_cache

from shutthebox.link.match import SEATS, Agreement, LinkError
from shutthebox.link.messages import MAX_NAME, Accept, Invite
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.contradictions import contradiction
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Group, Profile, Stakes
from shutthebox.rules.reader import parse_keys, to_profile, with_options
from shutthebox.rules.writer import to_lines

HOUSE_RULES = "House rules"

_HOST = 0
"""The host's seat; that player begins, as both screens say."""

SHORTEST_LIMIT_S, LIMIT_S = 60, 600
"""Seconds within which a box must reveal its link: long enough for somebody to put a plug back in.

This version always offers the longest limit, and doesn't show it."""


def invite(game: Profile, rounds: int, name: str, chain: DiceChain, key: str = "") -> Invite:
    """Makes the host's invitation. The host begins.

    Args:
        game: as returned by `linkable`.
        rounds: to be played.
        name: the host's box's.
        chain: the host's dice.
        key: the host's public key; empty if its helper has none.
    """
    toml = "\n".join(to_lines(game))
    return Invite(RULES_VERSION, toml, rounds, _HOST, LIMIT_S, name, chain.commitment, key)


@lru_cache(64)
def linkable(game: Profile) -> Profile | None:
    """The game as two boxes can play it, without stakes or a clock; None if they can't.

    Its name and title are removed: the other box shows its own name for these rules.
    """
    if game.is_solo or game.stakes is Stakes.BANK:
        return None
    played = with_options(game, turn_seconds=0, teams=0)
    played = replace(
        played,
        name="house",
        titles=(("en", HOUSE_RULES),),
        source="",
        boxes=(),
        stakes=Stakes.NONE,
        group=Group.ODD,
    )
    fits = order_of(played).seats(played, SEATS) == SEATS and played.turn_seconds is None
    return played if fits and not contradiction(played) else None


def invited_game(invited: Invite) -> Profile:
    """The game of an invitation.

    Raises:
        LinkError: it isn't one that two boxes can play.
    """
    try:
        keys = parse_keys(invited.game, "invitation", _like_nothing)
        game = to_profile(keys, "invitation", "invitation")
        begin(game, SEATS, invited.rounds, invited.first)
    except ValueError as error:
        raise LinkError(str(error)) from None
    if invited.first != _HOST:
        raise LinkError("the guest would begin, and is told that the host does")
    if not SHORTEST_LIMIT_S <= invited.limit_s <= LIMIT_S:
        raise LinkError("a limit that leaves a box no time, or that nobody waits for")
    if linkable(game) != game:
        raise LinkError("a game that two boxes can't play")
    return game


def agree(invited: Invite, game: Profile, accepted: Accept, session: str) -> Agreement:
    """What both boxes have agreed on once an invitation is accepted.

    Raises:
        LinkError: both commitments are the same, so one box could repeat the other's links.
    """
    if invited.commitment == accepted.commitment:
        raise LinkError("both boxes have the same commitment")
    return Agreement(
        game,
        invited.rounds,
        invited.first,
        invited.limit_s,
        _apart(invited.name, accepted.name),
        (invited.commitment, accepted.commitment),
        session,
        (invited.key, accepted.key),
    )


def _apart(host: str, guest: str) -> tuple[str, str]:
    """The names by seat. The guest's gets a number if the two look alike."""
    if _letters(host) == _letters(guest):
        guest = f"{guest[: MAX_NAME - 2].rstrip()} 2"
    return host, guest


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold() or name


def _like_nothing(name: str) -> dict[str, object]:
    raise KeyError("an invitation has all its keys")
