"""A match on two boxes, where the other one doesn't do what it should."""

from random import Random

from tests.link.network import End
from tests.support.box import S
from tests.support.machine import Queue, settings_for

from shutthebox.game.effects import AskLink, Keep
from shutthebox.game.facts import PlayersLeft
from shutthebox.game.inputs import LinkReported, Pressed, TimePassed
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.modes.attract import Attract
from shutthebox.game.resuming import KeptMatch
from shutthebox.link.invitation import LIMIT_S, agree, invite, invited_game, linkable
from shutthebox.link.match import LinkedMatch, Rolled, join
from shutthebox.link.messages import Accept
from shutthebox.link.requests import Leave, Peer, PeerIs
from shutthebox.rules.actions import Action
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import Stage

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


def test_a_result_waits_for_the_other_box_when_everybody_has_gone_home() -> None:
    """The match would count at one box only."""
    random, agreement = Random(1), linked(0).agreement
    ends = [End(agreement, seat, chain) for seat, chain in enumerate(CHAINS)]
    while not (over := [end for end in ends if end.linked.match.stage is Stage.FINISHED]):
        for end, other in (ends, ends[::-1]):
            other.receive(end.linked.message())
            end.act(random)
    actions = [fact for fact in over[0].kept if isinstance(fact, Action)]
    resumed = KeptMatch(agreement.beginning, actions, linked=over[0].linked)
    machine = Machine(settings_for("pub", players=2, link="The Crown"), Queue(), 0, 0, resumed=resumed)
    machine.start()
    machine.step(TimePassed(), 3600 * S)
    while not machine.state.shared.asleep:
        machine.step(TimePassed(), 3600 * S)
    assert machine.state.mode.name is Mode.MATCH_OVER
    for event in (Pressed(), Pressed()):
        machine.step(event, 3601 * S)
    assert machine.state.mode.name is Mode.MATCH_OVER
    machine.step(LinkReported(PeerIs(Peer.LEFT)), 3602 * S)
    machine.step(Pressed(), 3603 * S)
    assert isinstance(machine.state.mode, Attract)
