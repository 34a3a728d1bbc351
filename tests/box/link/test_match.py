"""Two boxes agree on every throw and every tile, whatever happens to their messages and plugs."""

from random import Random

import pytest
from tests.support.fast import fast_among
from tests.support.network import End
from tests.support.private_action import VOID

from shutthebox.config.profiles import builtin, builtins
from shutthebox.link.invitation import agree, invite, invited_game, linkable
from shutthebox.link.match import Agreement, LinkError, Revealed, Rolled, join
from shutthebox.link.messages import Accept, Sync, from_line, to_line
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.linked_dice import DiceChain, why_unproven
from shutthebox.rules.position import Stage
from shutthebox.rules.record import Record

GAMES = [game.name for game in builtins() if linkable(game)]
MAX_STEPS = 200_000


def agreed(random: Random, game: str) -> tuple[Agreement, list[DiceChain]]:
    chains = [DiceChain(random.randbytes(32).hex()) for _ in range(2)]
    played = linkable(builtin(game))
    assert played is not None
    invited = invite(played, 2, "The Anchor", chains[0])
    told = from_line(to_line(invited))
    assert told == invited
    return agree(invited, invited_game(invited), Accept("The Crown", chains[1].commitment), "here"), chains


def play(seed: int, game: str) -> list[End]:
    """A match over a network that loses, doubles, delays and reorders, at boxes whose plugs are pulled."""
    random = Random(seed)
    agreement, chains = agreed(random, game)
    ends = [End(join(agreement, seat, chain)) for seat, chain in enumerate(chains)]
    wire: list[tuple[int, bytes]] = []
    for _ in range(MAX_STEPS):
        seat, what = random.randrange(2), random.random()
        end = ends[seat]
        if what < 0.01:
            end.pull_the_plug()
        elif (what < 0.4 and end.act(random)) or (what < 0.6 and end.awaits_confirmation):
            wire.append((1 - seat, to_line(end.message())))
        elif wire:
            at = random.randrange(len(wire))
            to, line = wire[at]
            if random.random() < 0.7:
                del wire[at]
            message = from_line(line)
            assert isinstance(message, Sync)
            if random.random() < 0.7 and ends[to].receive(message):
                wire.append((1 - to, to_line(ends[to].message())))
        if all(each.match.stage is Stage.FINISHED and not each.awaits_confirmation for each in ends):
            return ends
    raise AssertionError(f"seed {seed}, {game}: no end at {[each.linked.entries[-3:] for each in ends]}")


@pytest.mark.parametrize("game", fast_among(GAMES, ["traditional", "trac-free"]))
def test_two_players_far_apart_finish_one_and_the_same_match(game: str) -> None:
    host, guest = play(1, game)
    assert host.linked.entries == guest.linked.entries
    assert host.linked.proof == guest.linked.proof
    actions = [tuple(f for f in end.kept if not isinstance(f, Rolled | Revealed)) for end in (host, guest)]
    assert actions[0] == actions[1]
    agreement = host.linked.agreement
    record = Record(agreement.game, 2, agreement.rounds, actions[0], Conditions(first=agreement.first + 1))
    assert why_unproven(record, host.linked.proof) is None


def test_a_box_that_asks_again_is_answered_again() -> None:
    """Or the other one, whose answer got lost, would ask for ever."""
    random = Random(1)
    agreement, chains = agreed(random, "pub")
    host, guest = (End(join(agreement, seat, chain)) for seat, chain in enumerate(chains))
    while not host.linked.entries:
        host.act(random)
        if guest.receive(host.message()):
            host.receive(guest.message())
    host.act(random)
    said = host.message()
    assert said.entries
    assert guest.receive(said)
    assert guest.receive(said)
    host.receive(guest.message())
    assert not host.awaits_confirmation
    assert not guest.receive(host.message()), "and then both are silent"


def test_links_that_do_not_lead_to_the_commitments_prove_nothing() -> None:
    host, _ = play(2, "pub")
    agreement = host.linked.agreement
    actions = tuple(f for f in host.kept if not isinstance(f, Rolled | Revealed))
    record = Record(agreement.game, 2, agreement.rounds, actions, Conditions(first=agreement.first + 1))
    proof = host.linked.proof
    assert "seat 1" in (why_unproven(record, proof._replace(links=proof.links[::-1])) or "")
    other = proof._replace(commitments=("0" * 64, proof.commitments[1]))
    assert "seat 1" in (why_unproven(record, other) or "")


def test_what_no_other_box_may_do_ends_the_match_by_name() -> None:
    """With a void throw, the other box's player threw twice in one turn."""
    agreement, chains = agreed(Random(5), "traditional")
    guest = End(join(agreement, 1, chains[1]))
    with pytest.raises(LinkError, match='"void" isn\'t allowed in a match on two boxes'):
        guest.keep(VOID)
    assert guest.linked.entries == ()


def test_a_record_with_what_no_other_box_may_do_proves_nothing() -> None:
    host, _ = play(2, "pub")
    agreement = host.linked.agreement
    actions = tuple(f for f in host.kept if not isinstance(f, Rolled | Revealed))
    conditions = Conditions(first=agreement.first + 1)
    record = Record(agreement.game, 2, agreement.rounds, (*actions, VOID), conditions)
    said = f'action {len(record.actions)}: "void" isn\'t allowed in a match on two boxes'
    assert why_unproven(record, host.linked.proof) == said


@pytest.mark.slow
def test_the_other_box_may_say_what_it_likes_and_harms_only_the_match() -> None:
    random = Random(3)
    for seed in range(8):
        host, guest = play(seed, "pub")
        truth = guest.linked
        beginning = join(truth.agreement, 0, DiceChain(host.linked.chain.secret))
        said = Sync(len(truth.entries), truth.hashes[-1], 1, truth.entries[:8], "")
        for _ in range(50):
            lie = said._replace(
                number=random.choice((said.number, 0, 1, 7)),
                first=random.randint(1, 9),
                entries=tuple(
                    random.choice(
                        (*truth.entries[:8], "roll 1", "roll 99", "shut 1", "time", "next", "throw 6+6", "")
                    )
                    for _ in range(random.randrange(5))
                ),
                link=random.choice(("", truth.links[1], "0" * 64)),
            )
            box = End(beginning)
            try:
                box.receive(lie)
            except LinkError:
                continue
            assert not box.linked.entries or not box.is_ours


@pytest.mark.parametrize(
    ("host", "guest", "names"),
    [
        ("The Anchor", "The Crown", ("The Anchor", "The Crown")),
        ("Shut the Box", "Shut the Box", ("Shut the Box", "Shut the Box 2")),
        ("The Anchor", "THE-ANCHOR!", ("The Anchor", "THE-ANCHOR! 2")),
        ("The Rising Suns!", "The Rising Suns", ("The Rising Suns!", "The Rising Sun 2")),
        ("-", "-", ("-", "- 2")),
    ],
)
def test_players_can_tell_two_boxes_of_one_name_apart(host: str, guest: str, names: tuple[str, str]) -> None:
    """Every box is called Shut the Box until its owner gives it another name."""
    played = linkable(builtin("pub"))
    assert played is not None
    chains = [DiceChain(letter * 64) for letter in "ab"]
    invited = invite(played, 1, host, chains[0])
    agreement = agree(invited, invited_game(invited), Accept(guest, chains[1].commitment), "here")
    assert agreement.names == names
    again = agree(invited, invited_game(invited), Accept(names[1], chains[1].commitment), "here")
    assert again == agreement, "the guest says it again"


@pytest.mark.parametrize("limit_s", [0, 59, 601, 32_768])
def test_nobody_is_invited_to_a_match_that_a_blink_or_half_a_day_would_end(limit_s: int) -> None:
    """The screen doesn't say after how long a box that doesn't answer loses the match for both."""
    played = linkable(builtin("pub"))
    assert played is not None
    invited = invite(played, 1, "The Anchor", DiceChain("a" * 64))
    assert invited_game(invited)
    with pytest.raises(LinkError):
        invited_game(invited._replace(limit_s=limit_s))


def test_nobody_is_invited_to_begin_who_is_told_that_the_others_do() -> None:
    """The screen says that the host begins, whatever the host has said."""
    played = linkable(builtin("long-game"))
    assert played is not None
    assert played.any_seat_begins
    invited = invite(played, 1, "The Anchor", DiceChain("a" * 64))
    assert invited_game(invited)
    with pytest.raises(LinkError):
        invited_game(invited._replace(first=1))
