"""A match on two boxes, where the other one doesn't do what it should."""

from tests.support.box import S
from tests.support.machine import Queue, settings_for

from shutthebox.game.effects import AskLink, Keep
from shutthebox.game.facts import PlayersLeft
from shutthebox.game.inputs import LinkReported, TimePassed
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.resuming import KeptMatch
from shutthebox.link.invitation import LIMIT_S, agree, invite, invited_game, linkable
from shutthebox.link.match import LinkedMatch, Rolled, join
from shutthebox.link.messages import Accept
from shutthebox.link.requests import Leave, Peer, PeerIs
from shutthebox.rules.linked_dice import DiceChain

CHAINS = DiceChain("5e" * 32), DiceChain("fa" * 32)


def linked(seat: int) -> LinkedMatch:
    """A match at one of two boxes; the first player begins."""
    settings = settings_for("pub", players=2)
    game = settings.usual_game and linkable(settings.usual_game)
    assert game is not None
    invited = invite(game, 1, 0, "The Anchor", CHAINS[0])
    agreement = agree(invited, invited_game(invited), Accept("The Crown", CHAINS[1].commitment), "5e" * 16)
    return join(agreement, seat, CHAINS[seat])


def box(match: LinkedMatch) -> Machine:
    """A box that goes on with a match, and hears that the other one is there."""
    settings = settings_for("pub", players=2, link="The Crown")
    machine = Machine(settings, Queue(), 0, 0, resumed=KeptMatch(match.match, linked=match))
    machine.start()
    machine.step(LinkReported(PeerIs(Peer.HERE)), S)
    return machine


def test_a_box_that_keeps_its_throw_to_itself_ends_the_match() -> None:
    """It knows the faces before this box does, and may not like them."""
    for seat, mode in ((1, Mode.WATCHING), (0, Mode.AWAITING)):
        machine = box(linked(seat).after(Rolled(2)))
        assert machine.state.mode.name is mode
        machine.step(TimePassed(), (LIMIT_S - 1) * S)
        assert machine.state.mode.name is mode
        effects = machine.step(TimePassed(), (LIMIT_S + 1) * S)
        assert machine.state.mode.name is Mode.LINKING
        assert Keep(PlayersLeft()) in effects
        assert AskLink(Leave()) in effects


def test_nobody_is_hurried_who_thinks_about_the_throw() -> None:
    machine = box(linked(1))
    machine.step(TimePassed(), 5 * LIMIT_S * S)
    assert machine.state.mode.name is Mode.WATCHING
