"""A match on two boxes, where the other one doesn't do what it should."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from tests.support.box import S
from tests.support.machine import Queue, settings_for
from tests.support.network import End

from shutthebox.config.profiles import builtin
from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.effects import AskLink, Effect, Keep, PlaySound, Show, Sound
from shutthebox.game.facts import (
    Began,
    BoxLeft,
    Faulted,
    Finished,
    PlayersLeft,
    RematchWanted,
    Resumed,
)
from shutthebox.game.inputs import (
    HealthChanged,
    Held,
    HeldLong,
    Input,
    LinkReported,
    MemoryRead,
    Pressed,
    ServicePressed,
    TimePassed,
)
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.modes.attract import Attract
from shutthebox.game.modes.ready import Ready
from shutthebox.game.modes.watching import Watching
from shutthebox.game.settings import DiceKind, ShownStakes
from shutthebox.game.stored_match import NO_MATCH, KeptMatch, Unread
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.link.invitation import LIMIT_S, agree, invite, invited_game, linkable
from shutthebox.link.match import LinkedMatch, Rolled, join
from shutthebox.link.messages import Accept, Levers, Rematch, Sync
from shutthebox.link.rematch import next_name, want_rematch
from shutthebox.link.requests import (
    Leave,
    LinkReport,
    NotPaired,
    Peer,
    PeerIs,
    Received,
    Rejoin,
    Send,
    WhyNotPaired,
)
from shutthebox.rules.actions import Action
from shutthebox.rules.linked_dice import LINKS, DiceChain
from shutthebox.rules.position import Stage
from shutthebox.translations import localize_screen

CHAINS = DiceChain("5e" * 32), DiceChain("fa" * 32)


def linked(seat: int) -> LinkedMatch:
    """A match at one of two boxes; the first player begins."""
    settings = settings_for("pub", players=2)
    game = settings.usual_game and linkable(settings.usual_game)
    assert game is not None
    invited = invite(game, 1, "The Anchor", CHAINS[0])
    agreement = agree(invited, invited_game(invited), Accept("The Crown", CHAINS[1].commitment), "5e" * 16)
    return join(agreement, seat, CHAINS[seat])


def rolls(match: LinkedMatch) -> LinkedMatch:
    """The match once its first player has rolled."""
    return match.after(Rolled(2), match.agreement.beginning)


def says_roll() -> Sync:
    """What the host's box says then."""
    match = linked(0)
    return rolls(match).message(match.agreement.beginning)


def box(match: LinkedMatch, kept: KeptMatch | None = None, **values: object) -> Machine:
    """A box that goes on with a match, and hears that the other one is there."""
    settings = settings_for("pub", players=2, link="The Crown", **values)
    machine = Machine(
        settings, Queue(), 0, 0, stored=kept or KeptMatch(match.agreement.beginning, linked=match)
    )
    machine.start()
    machine.step(LinkReported(PeerIs(Peer.HERE)), S)
    return machine


def test_a_box_that_keeps_its_throw_to_itself_ends_the_match() -> None:
    """It knows the faces before this box does, and may not like them."""
    for seat, mode in ((1, Mode.WATCHING), (0, Mode.AWAITING)):
        machine = box(rolls(linked(seat)))
        assert machine.state.mode.name is mode
        machine.step(TimePassed(), (LIMIT_S - 1) * S)
        assert machine.state.mode.name is mode
        effects = machine.step(TimePassed(), (LIMIT_S + 1) * S)
        assert machine.state.mode.name is Mode.LINKING
        assert Keep(PlayersLeft()) in effects
        assert AskLink(Leave()) in effects


@pytest.mark.parametrize("rolled", [True, False])
def test_who_leaves_with_a_throw_on_the_table_is_named_at_both_boxes(rolled: bool) -> None:
    """They know the faces before the other box does, and nobody can make them play on."""
    host, guest = (rolls(linked(seat)) if rolled else linked(seat) for seat in (0, 1))
    left = Keep(BoxLeft(0, has_thrown=rolled))
    watching = box(guest)
    *effects, shown = watching.step(LinkReported(PeerIs(Peer.LEFT)), 2 * S)
    assert left in effects
    assert effects.index(left) < effects.index(Keep(PlayersLeft())), "it's part of the match"
    assert isinstance(shown, Show)
    text = localize_screen(shown).text
    assert ("The Anchor has left with a throw on the table." in text) is rolled
    leaving = box(host)
    leaving.step(HeldLong(), 2 * S)
    assert left in leaving.step(Pressed(), 3 * S)


def test_a_box_whose_throw_was_awaited_for_too_long_is_named_too() -> None:
    """Pulling the plug is no better way to leave."""
    machine = box(rolls(linked(1)))
    assert Keep(BoxLeft(0, has_thrown=True)) in machine.step(TimePassed(), (LIMIT_S + 1) * S)


def test_nobody_is_hurried_who_thinks_about_the_throw() -> None:
    machine = box(linked(1))
    machine.step(TimePassed(), 5 * LIMIT_S * S)
    assert machine.state.mode.name is Mode.WATCHING


def test_a_dark_panel_shows_what_is_played_at_the_other_box() -> None:
    """Players who wait for a slow one would never see that it's their turn."""
    machine = box(linked(1))
    hour_ns = 3600 * S
    while not machine.state.shared.asleep:
        machine.step(TimePassed(), hour_ns)
    machine.step(LinkReported(PeerIs(Peer.HERE)), hour_ns)
    assert machine.state.shared.asleep, "nothing has been played"
    *_, shown = machine.step(LinkReported(Received(says_roll())), hour_ns)
    assert isinstance(shown, Show)
    assert not shown.asleep
    machine.step(TimePassed(), hour_ns + S)
    assert not machine.state.shared.asleep, "it stays lit for a while"


def test_a_sound_calls_players_to_their_turn() -> None:
    """They have done something else while the others played."""
    random, agreement = Random(1), linked(0).agreement
    host, guest = (End(join(agreement, seat, chain)) for seat, chain in enumerate(CHAINS))
    machine, called = box(guest.linked), 0
    while not host.linked.entries or not guest.is_ours:
        called = 0
        guest.receive(host.message())
        effects = machine.step(LinkReported(Received(host.message())), S)
        called = effects.count(PlaySound(Sound.WAKE))
        host.receive(guest.message())
        host.act(random)
    assert called == 1


def test_what_the_owner_has_set_for_other_matches_is_no_part_of_one_on_two_boxes() -> None:
    """Players would have to enter throws that the other box knows already, or see the computer play."""
    machine = box(linked(0), dice=DiceKind.REAL, computers=(1,), turn_seconds=30, stakes=ShownStakes.EVENING)
    assert machine.settings.real_dice, "the owner's settings are the owner's still"
    ready = machine.state.mode
    assert isinstance(ready, Ready)
    assert ready.play.clock is None
    machine.step(Pressed(), 10 * S)
    assert machine.state.mode.name is Mode.AWAITING


def test_the_record_of_a_match_on_two_boxes_says_nothing_of_the_owners_other_settings() -> None:
    """Both boxes have one record."""
    match = linked(0)
    machine = Machine(
        settings_for("pub", players=2, link="The Anchor", dice=DiceKind.REAL, computers=(2,)),
        Queue(),
        0,
        0,
        stored=KeptMatch(match.agreement.beginning, linked=match),
    )
    (resumed,) = (
        effect.fact
        for effect in machine.start()
        if isinstance(effect, Keep) and isinstance(effect.fact, Resumed)
    )
    assert (resumed.conditions.real_dice, resumed.conditions.computers) == (False, ())


@pytest.mark.parametrize(("levers", "game"), [(9, "traditional"), (12, "trac"), (10, "pub")])
def test_both_boxes_call_a_game_the_same_whatever_their_own_games_are(levers: int, game: str) -> None:
    """The names would differ in their records, too."""
    host = settings_for(builtin(game), levers=levers)
    played = host.usual_game and linkable(host.usual_game)
    assert played is not None
    house_rules = replace(played, name="ours", titles=(("en", "Ours"),))
    named = {
        settings_for(guests, levers=12).recognize(played).name
        for guests in (host.profile, house_rules, "pub")
    }
    assert len(named) == 1
    assert "ours" not in named


def ends_of_a_match(is_done: Callable[[list[End]], bool]) -> list[End]:
    """Both ends of a match as soon as this is so; they tell each other everything, but take turns at it."""
    random, agreement = Random(1), linked(0).agreement
    ends = [End(join(agreement, seat, chain)) for seat, chain in enumerate(CHAINS)]
    while True:
        for end, other in (ends, ends[::-1]):
            if end.linked.entries and is_done(ends):
                return ends
            other.receive(end.message())
            end.act(random)


def actions_of(end: End) -> list[Action]:
    return [fact for fact in end.kept if isinstance(fact, Action)]


def resumed(end: End) -> Machine:
    return box(end.linked, KeptMatch(end.linked.agreement.beginning, actions_of(end), linked=end.linked))


def all_is_said(ends: list[End]) -> bool:
    return all(end.is_settled and not end.awaits_confirmation for end in ends)


def finished(seat: int) -> tuple[Machine, LinkedMatch]:
    """A box that has the result of a match and is still with it, and its end of it."""
    end = ends_of_a_match(all_is_said)[seat]
    return resumed(end), end.linked


@pytest.mark.parametrize("seat", [0, 1])
def test_a_result_stands_whatever_the_other_box_says_afterwards(seat: int) -> None:
    """A bad loser told another story, and the winner's box said that the match didn't count."""
    machine, match = finished(seat)
    own, number = machine.state.mode.name, len(match.entries)
    for report in (
        Received(Sync(number + 1, "0" * 64, number + 1, ("roll 2",), "")),
        Received(Sync(number, "0" * 64, 1, (), "")),
        Received(Sync(number, match.hashes[-1], 1, ("next",), "")),
        NotPaired(WhyNotPaired.UNKNOWN),
    ):
        effects = machine.step(LinkReported(report), 2 * S)
        assert machine.state.mode.name is own is Mode.MATCH_OVER
        assert not any(isinstance(effect, Keep) for effect in effects)
    machine.step(Pressed(), 3 * S)
    assert isinstance(machine.state.mode, Attract), "and nobody has to wait until it agrees"


@pytest.mark.parametrize("event", [Pressed(), Held()], ids=str)
@pytest.mark.parametrize("report", [PeerIs(Peer.LEFT), Received(Sync(0, "0" * 64, 1, (), ""))], ids=str)
def test_the_question_whether_to_end_a_match_goes_with_the_match(
    report: LinkReport, event: Held | Pressed
) -> None:
    """Players at both boxes hold the button; one presses, and the other's press stopped their box."""
    machine = box(linked(1))
    machine.step(HeldLong(), 2 * S)
    (shown,) = machine.step(LinkReported(report), 3 * S)[-1:]
    assert isinstance(shown, Show)
    assert "count" in str(shown.screen.paragraph), "the screen says that it's over"
    machine.step(event, 4 * S)
    assert isinstance(machine.state.mode, Attract)


def test_what_the_other_box_made_up_is_not_repeated() -> None:
    """The owner's Home Assistant shows the latest fault."""
    machine = box(linked(1))
    effects = machine.step(LinkReported(Received(Sync(1, "0" * 64, 1, ("Pay 5 EUR",), ""))), 2 * S)
    faults = [effect.fact for effect in effects if isinstance(effect, Keep)]
    assert faults == [Faulted("link", "an entry that no box writes"), PlayersLeft()]


def test_a_refusal_stays_on_the_screen_while_the_other_box_says_nothing_new() -> None:
    """It went as soon as the other box moved a lever, or said again how its log stands."""
    match = linked(1)
    machine = box(match)
    machine.step(Pressed(), 2 * S)
    refusal = machine.state.shared.refusal
    assert refusal is not None
    invited = invite(match.agreement.game, 1, "The Anchor", CHAINS[0])
    for said in (Levers(0, 1), invited, Sync(0, match.hashes[-1], 1, (), "")):
        machine.step(LinkReported(Received(said)), 3 * S)
        assert machine.state.shared.refusal == refusal
    machine.step(LinkReported(Received(says_roll())), 4 * S)
    assert machine.state.shared.refusal is None


def test_a_match_that_waits_for_its_box_to_be_repaired_is_not_left() -> None:
    """Service opens while the dice button is broken; the match goes on at the next start."""
    machine = box(linked(1))
    machine.step(HealthChanged({DICE_BUTTON: ContactHealth(stuck=True)}), 2 * S)
    machine.step(ServicePressed(), 2 * S)
    assert machine.state.mode.name is Mode.SERVICE
    assert machine.step(LinkReported(Received(Levers(0, 1))), 3 * S) == []
    machine.step(Held(), 4 * S)
    assert machine.step(LinkReported(Received(Levers(0, 1))), 5 * S) == [AskLink(Leave())], "a new evening"


def test_a_match_without_an_end_comes_to_one() -> None:
    """The box stopped at the throw after the last link, and again after each start."""
    machine = box(linked(0)._replace(throws=LINKS))
    effects = machine.step(Pressed(), 2 * S)
    assert machine.state.mode.name is Mode.LINKING
    assert Keep(PlayersLeft()) in effects
    assert AskLink(Leave()) in effects


def is_finished(ends: list[End]) -> bool:
    return any(end.match.stage is Stage.FINISHED for end in ends)


def last_writer(ends: list[End]) -> int:
    """The seat that has written the last entry, which the other one lacks."""
    return max((0, 1), key=lambda seat: len(ends[seat].linked.entries))


def test_a_match_is_over_once_both_boxes_have_its_last_throw() -> None:
    """Cut off for too long, the other box has ended it without a result, and says so when it's back."""
    ends = ends_of_a_match(lambda ends: any(end.match.result for end in ends))
    machine = resumed(ends[last_writer(ends)])
    effects = [*machine.step(LinkReported(PeerIs(Peer.AWAY)), 2 * S), *machine.step(Pressed(), 3 * S)]
    effects += machine.step(TimePassed(), 3600 * S)
    assert machine.state.mode.name is Mode.WATCHING
    assert not any(isinstance(effect, Keep) and isinstance(effect.fact, Finished) for effect in effects)
    assert Keep(PlayersLeft()) in machine.step(LinkReported(PeerIs(Peer.LEFT)), 3601 * S)


def test_a_match_is_over_as_soon_as_the_other_box_has_its_last_throw() -> None:
    ends = ends_of_a_match(is_finished)
    writer = last_writer(ends)
    machine = resumed(ends[writer])
    assert isinstance(machine.state.mode, Watching)
    ends[1 - writer].receive(ends[writer].message())
    effects = machine.step(LinkReported(Received(ends[1 - writer].message())), 2 * S)
    assert machine.state.mode.name is Mode.MATCH_OVER
    match = machine.state.match
    assert match is not None
    told = [effect.request for effect in effects if isinstance(effect, AskLink)]
    assert effects.index(Keep(Finished(match))) < effects.index(AskLink(told[0])), "kept before it's told"
    assert isinstance(told[0], Send)
    assert isinstance(told[0].message, Sync)
    assert ends[1 - writer].awaits_confirmation
    ends[1 - writer].receive(told[0].message)
    assert not ends[1 - writer].awaits_confirmation, "its players needn't wait any longer"


def unheard() -> Machine:
    """A box that has the result; the other one, which has thrown last, is away and doesn't know that."""
    ends = ends_of_a_match(is_finished)
    writer = last_writer(ends)
    ends[1 - writer].receive(ends[writer].message())
    machine = resumed(ends[1 - writer])
    machine.step(LinkReported(PeerIs(Peer.AWAY)), 2 * S)
    return machine


def test_a_result_waits_for_the_other_box_when_everybody_has_gone_home() -> None:
    """The match would count at one box only."""
    machine = unheard()
    machine.step(TimePassed(), 3600 * S)
    while not machine.state.shared.asleep:
        machine.step(TimePassed(), 3600 * S)
    assert machine.state.mode.name is Mode.MATCH_OVER
    for event in (Pressed(), Pressed(), Held()):
        (*_, shown) = machine.step(event, 3601 * S)
    assert machine.state.mode.name is Mode.MATCH_OVER
    assert isinstance(shown, Show)
    assert shown.screen.localize(str).prompt == "Hold 10 s: end"
    machine.step(LinkReported(PeerIs(Peer.LEFT)), 3602 * S)
    machine.step(Pressed(), 3603 * S)
    assert isinstance(machine.state.mode, Attract)


def test_players_who_do_not_want_to_wait_for_the_other_box_may_go() -> None:
    """It may never be back."""
    machine = unheard()
    for event in (Held(), HeldLong()):
        machine.step(event, 3 * S)
    assert isinstance(machine.state.mode, Attract)


def test_a_hold_that_began_before_the_result_does_not_part_the_boxes() -> None:
    """They meant to end a match that wasn't decided, which the box would have asked them about."""
    machine = unheard()
    for event in (Pressed(), HeldLong()):
        machine.step(event, 3 * S)
    assert machine.state.mode.name is Mode.MATCH_OVER


@pytest.mark.parametrize("has_match", [True, False])
def test_a_box_that_cannot_read_its_memory_tells_nobody_that_it_has_no_match(has_match: bool) -> None:
    """A disk that was full at one start ended the match for good."""
    settings, match = settings_for("pub", players=2, link="The Crown"), linked(1)
    machine = Machine(settings, Queue(), 0, 0, stored=Unread())
    assert AskLink(Leave()) not in machine.start()
    machine.step(HeldLong(), S)
    if not has_match:
        assert machine.step(MemoryRead(NO_MATCH), 2 * S) == [AskLink(Leave())]
        return
    machine.step(Pressed(), 2 * S)
    found = MemoryRead(KeptMatch(match.agreement.beginning, linked=match))
    assert machine.step(found, 3 * S) == [], "somebody plays"
    machine.step(HeldLong(), 4 * S)
    machine.step(Pressed(), 5 * S)
    assert isinstance(machine.state.mode, Attract)
    effects = machine.step(found, 6 * S)
    assert AskLink(Rejoin(match.agreement.session)) in effects
    assert AskLink(Leave()) not in effects
    assert isinstance(machine.state.mode, Watching)


THEIRS = DiceChain("77" * 32).commitment


def shown_text(effects: list[Effect]) -> str:
    shown = effects[-1]
    assert isinstance(shown, Show)
    return localize_screen(shown).text


def is_lit(effects: list[Effect]) -> bool:
    shown = effects[-1]
    assert isinstance(shown, Show)
    return shown.screen.lit


@pytest.mark.parametrize("seat", [0, 1])
def test_players_who_press_after_a_match_wait_for_those_at_the_other_box(seat: int) -> None:
    machine, match = finished(seat)
    effects = machine.step(Pressed(), 2 * S)
    wanted = Keep(RematchWanted(Queue().secret()))
    asks = AskLink(Send(Rematch(match.agreement.session, DiceChain(Queue().secret()).commitment)))
    assert effects.index(wanted) < effects.index(asks), "a power cut may come between"
    assert "Waiting for them" in shown_text(effects)
    assert not is_lit(effects), "another press does nothing"
    again = machine.step(Pressed(), 3 * S)
    assert "Waiting for them" in shown_text(again)
    assert not any(isinstance(effect, Keep | AskLink) for effect in again), "it's the same wish"
    assert asks in machine.step(TimePassed(), 6 * S), "it's said again until they answer"
    assert machine.step(LinkReported(PeerIs(Peer.AWAY)), 7 * S)
    assert asks in machine.step(LinkReported(PeerIs(Peer.HERE)), 8 * S), "and once they're back"
    effects = machine.step(Held(), 9 * S)
    assert Keep(PlayersLeft()) in effects
    assert AskLink(Leave()) in effects
    assert isinstance(machine.state.mode, Attract)


def test_players_see_that_those_at_the_other_box_want_a_rematch() -> None:
    machine, match = finished(1)
    said = LinkReported(Received(Rematch(match.agreement.session, THEIRS)))
    effects = machine.step(said, 2 * S)
    assert PlaySound(Sound.WAKE) in effects, "they may have turned away"
    assert "They want more" in shown_text(effects)
    assert "Press: again" in shown_text(effects)
    assert is_lit(effects)
    assert machine.step(said, 3 * S) == [], "they're told once"
    machine.step(Held(), 4 * S)
    assert isinstance(machine.state.mode, Attract), "and may decline"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("presses_first", [True, False])
def test_a_rematch_begins_once_players_at_both_boxes_have_pressed(seat: int, presses_first: bool) -> None:
    machine, match = finished(seat)
    last = machine.state.match
    events: list[Input] = [Pressed(), LinkReported(Received(Rematch(match.agreement.session, THEIRS)))]
    first, second = events if presses_first else events[::-1]
    assert not any(isinstance(e, Keep) and isinstance(e.fact, Began) for e in machine.step(first, 2 * S))
    effects = machine.step(second, 3 * S)
    (began,) = (e.fact for e in effects if isinstance(e, Keep) and isinstance(e.fact, Began))
    link = began.link
    assert link is not None
    assert link.pairing == match.agreement.session
    assert link.agreement.session == next_name(match.agreement.session)
    own = DiceChain(Queue().secret()).commitment
    assert set(link.agreement.commitments) == {own, THEIRS}
    assert link.agreement.commitments[link.seat] == own
    told = [effect for effect in effects if isinstance(effect, AskLink)]
    answer = AskLink(Send(Rematch(match.agreement.session, own, THEIRS)))
    assert answer in told, "their box may not have heard of it"
    assert effects.index(Keep(began)) < effects.index(answer), "kept before it's told"
    assert last is not None
    loser = last.loser
    assert loser is not None
    is_ours = match.agreement.names[loser] == match.agreement.names[match.seat]
    assert machine.state.mode.name is (Mode.READY if is_ours else Mode.WATCHING)
    asks = LinkReported(Received(Rematch(match.agreement.session, THEIRS)))
    assert machine.step(asks, 4 * S)[0] == answer, "as often as it asks"


def test_levers_of_the_match_before_are_not_shown_in_a_rematch() -> None:
    """A late message told of tiles that nobody had shut yet."""
    machine, match = finished(1)
    last = machine.state.match
    machine.step(LinkReported(Received(Levers(len(match.entries), 0b11))), 2 * S)
    assert machine.state.shared.peer_levers == 0b11
    theirs = Rematch(match.agreement.session, THEIRS)
    for event in (Pressed(), LinkReported(Received(theirs))):
        machine.step(event, 3 * S)
    assert machine.state.match != last
    assert machine.state.shared.peer_levers == 0, "their levers aren't known yet"
    assert machine.state.mode.name is Mode.WATCHING
    name = next_name(match.agreement.session)
    for levers, shown in ((Levers(0, 0b11), 0), (Levers(0, 0b100, name), 0b100), (Levers(0, 0b11), 0b100)):
        machine.step(LinkReported(Received(levers)), 4 * S)
        assert machine.state.shared.peer_levers == shown


def test_players_who_wait_are_told_that_the_others_have_left() -> None:
    machine, _ = finished(0)
    machine.step(Pressed(), 2 * S)
    effects = machine.step(LinkReported(PeerIs(Peer.LEFT)), 3 * S)
    assert "They have left" in shown_text(effects)
    assert PlaySound(Sound.WAKE) in effects
    machine.step(Pressed(), 4 * S)
    assert isinstance(machine.state.mode, Attract)


def test_nobody_waits_for_ever_for_a_rematch() -> None:
    """Everybody has gone home."""
    machine, _ = finished(0)
    machine.step(Pressed(), 2 * S)
    effects = machine.step(TimePassed(), 3600 * S)
    while not machine.state.shared.asleep:
        effects = machine.step(TimePassed(), 3600 * S)
    assert isinstance(machine.state.mode, Attract)
    assert AskLink(Leave()) in effects


def test_a_wish_for_a_rematch_survives_a_power_cut() -> None:
    """The other box may have begun the match with these dice."""
    end = ends_of_a_match(all_is_said)[0]
    forgetful = end.linked._replace(confirmed=None, acknowledged=0)
    match = want_rematch(forgetful, "3c" * 32)
    machine = box(match, KeptMatch(match.agreement.beginning, actions_of(end), linked=match))
    assert machine.state.mode.name is Mode.MATCH_OVER
    own = DiceChain("3c" * 32).commitment
    effects = machine.step(TimePassed(), 10 * S)
    assert AskLink(Send(Rematch(match.agreement.session, own))) in effects
    effects = machine.step(LinkReported(Received(Rematch(match.agreement.session, THEIRS, own))), 11 * S)
    assert any(isinstance(e, Keep) and isinstance(e.fact, Began) for e in effects)


def test_a_rematch_is_refused_until_the_other_box_has_the_result() -> None:
    machine = unheard()
    machine.step(LinkReported(PeerIs(Peer.HERE)), 3 * S)
    effects = machine.step(Pressed(), 4 * S)
    assert "Not sent yet" in shown_text(effects)
    assert not any(isinstance(effect, Keep) for effect in effects)
