"""Two boxes play again once players at both want to, and no message of another match counts."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from tests.support.fast import fast_among
from tests.support.network import End

from shutthebox.adapters.store.database import Store
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Finished, Linked, RematchWanted
from shutthebox.link.invitation import agree, invite, invited_game, linkable
from shutthebox.link.match import LinkedMatch, agreement_hash, join
from shutthebox.link.messages import Accept, Rematch, Sync, from_line, to_line
from shutthebox.link.rematch import (
    begun_message,
    hear_rematch,
    latest_message,
    next_match,
    next_name,
    want_rematch,
)
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import First
from shutthebox.rules.reader import with_options

SESSION = "5e" * 16


def both_ends(first: First | None = None) -> tuple[End, End]:
    """Two boxes before the first throw of their first match."""
    game = linkable(with_options(builtin("pub"), first=first))
    assert game is not None
    chains = DiceChain("5e" * 32), DiceChain("fa" * 32)
    invited = invite(game, 1, "The Anchor", chains[0], "3b" * 32)
    accepted = Accept("The Crown", chains[1].commitment, "a0" * 32)
    agreement = agree(invited, invited_game(invited), accepted, SESSION)
    return End(join(agreement, 0, chains[0])), End(join(agreement, 1, chains[1]))


def play(ends: tuple[End, End], seed: int = 1) -> tuple[End, End]:
    """Plays to the end; returns both boxes with the finished match."""
    random = Random(seed)
    while any(not end.is_settled or end.awaits_confirmation for end in ends):
        for end, other in (ends, ends[::-1]):
            other.receive(end.message())
            end.act(random)
    return ends


def want(end: End, box: str) -> tuple[End, Rematch]:
    """The box once its players want another match, and what it then says."""
    secret = sha256(f"{end.linked.agreement.session} {box}".encode()).hexdigest()
    end = end.with_log(want_rematch(end.linked, secret))
    said = latest_message(end.linked, end.match)
    assert isinstance(said, Rematch)
    assert from_line(to_line(said)) == said
    return end, said


def hear(end: End, said: Rematch) -> tuple[End, Rematch | None]:
    """The box after it has heard this, and its answer."""
    linked, answer = hear_rematch(end.linked, end.match, said)
    return end.with_log(linked), answer


def following(end: End) -> End | None:
    """The box before the first throw of the next match, if both boxes want one."""
    linked = next_match(end.linked, end.match)
    return linked and End(linked)


def agreed(host: End, guest: End) -> tuple[End, End]:
    """Both boxes before the next match, once players at both have pressed."""
    (host, hosts), (guest, guests) = want(host, "host"), want(guest, "guest")
    found = following(hear(host, guests)[0]), following(hear(guest, hosts)[0])
    assert found[0] is not None
    assert found[1] is not None
    return found[0], found[1]


@pytest.mark.parametrize("seed", range(1, 7))
def test_both_boxes_mean_the_same_next_match_which_the_loser_begins(seed: int) -> None:
    last = play(both_ends(), seed)
    loser = last[0].match.loser
    assert loser is not None
    names = last[0].linked.agreement.names
    for _ in range(3):
        ends = agreed(*last)
        host, guest = (end.linked for end in ends)
        assert agreement_hash(host.agreement) == agreement_hash(guest.agreement)
        assert {host.seat, guest.seat} == {0, 1}
        assert host.agreement.names[host.agreement.first] == names[loser]
        for before, after in zip((end.linked for end in last), (host, guest), strict=True):
            assert after.agreement.names[after.seat] == before.agreement.names[before.seat]
            assert after.agreement.keys[after.seat] == before.agreement.keys[before.seat]
            assert after.session == SESSION, "the helpers have no other"
            assert after.agreement.session not in (SESSION, before.agreement.session)
            assert after.chain != before.chain
        last = play(ends, seed)
        names, loser = last[0].linked.agreement.names, last[0].match.loser
        assert loser is not None


@pytest.mark.parametrize("first", [First.LOSER, First.WINNER, First.ROTATES, First.ROLL])
def test_the_game_may_say_who_begins_the_next_match(first: First) -> None:
    last = play(both_ends(first))
    match, names = last[0].match, last[0].linked.agreement.names
    assert match.result is not None
    begins = match.result.winners[0] if first is First.WINNER else match.loser
    assert begins is not None
    agreement = agreed(*last)[0].linked.agreement
    assert agreement.names[agreement.first] == names[begins]
    assert agreement.beginning.player == agreement.first


def test_no_message_of_one_match_is_taken_for_one_of_another() -> None:
    """A late one told the other box that the match didn't count."""
    last = play(both_ends())
    for before, after in zip(last, agreed(*last)[::-1], strict=True):
        late, early = before.message(), after.message()
        assert from_line(to_line(early)) == early
        other = early._replace(match=next_name(early.match))
        for end, message in ((after, late), (before, early), (before, other)):
            stands = end.linked, end.match
            assert not end.receive(message)
            assert (end.linked, end.match) == stands


def test_a_box_whose_answer_got_lost_is_answered_again_until_it_follows() -> None:
    host, guest = play(both_ends())
    (host, _), (guest, asks) = want(host, "host"), want(guest, "guest")
    begun = following(hear(host, asks)[0])
    assert begun is not None
    for _ in range(3):
        after, answer = hear(begun, asks)
        assert after.linked == begun.linked
        assert answer is not None
    assert answer is not None
    follows = following(hear(guest, answer)[0])
    assert follows is not None
    assert hear(follows, answer)[1] is None, "they don't answer each other for ever"
    begun.receive(follows.message())
    assert hear(begun, asks)[1] is None, "a late one"


def test_a_hostile_box_starts_no_match_that_nobody_wants_here() -> None:
    host, guest = play(both_ends())
    _, said = want(guest, "guest")
    heard, answer = hear(host, said)
    assert answer is None
    assert following(heard) is None, "nobody here has pressed"
    wants, own = want(host, "host")
    lies = (
        said._replace(match=next_name(SESSION)),
        said._replace(match="0" * 32),
        said._replace(commitment=own.commitment),
    )
    for lie in lies:
        assert following(hear(wants, lie)[0]) is None, lie
    (playing, _) = both_ends()
    after, answer = hear(playing, said)
    assert (after.linked, answer) == (playing.linked, None), "the match isn't over"
    begun, _ = agreed(host, guest)
    after, answer = hear(begun, Rematch(SESSION, DiceChain("77" * 32).commitment))
    assert (after.linked, answer) == (begun.linked, None), "it has agreed on other dice"


def test_a_box_that_wants_a_rematch_has_the_result() -> None:
    """After a power cut its players couldn't go on: the other box said nothing of the old match any more."""
    host, guest = play(both_ends())
    restarted = guest.with_log(guest.linked._replace(confirmed=None, acknowledged=0, has_result=True))
    assert restarted.awaits_confirmation
    _, said = want(host, "host")
    heard, _ = hear(restarted, said)
    assert not heard.awaits_confirmation
    assert not want(restarted, "guest")[0].awaits_confirmation, "nor does it ask again what it knew"


def test_the_links_of_the_last_match_are_none_of_the_next() -> None:
    host, guest = play(both_ends())
    follows, _ = agreed(host, guest)
    link = host.linked.chain.link(1)
    follows.receive(Sync(0, follows.linked.hashes[-1], 1, (), link, None, follows.linked.agreement.session))
    assert follows.linked.links == follows.linked.agreement.commitments


class Box:
    """A box whose plug is pulled now and then: what it has kept, and what it only has in its memory."""

    def __init__(self, end: End) -> None:
        self.played = list[LinkedMatch]()
        self._begin(end)

    def _begin(self, end: End) -> None:
        self.end, self._secret, self._is_settled = end, "", False

    @property
    def linked(self) -> LinkedMatch:
        return self.end.linked

    def pull_the_plug(self) -> None:
        self.end.pull_the_plug()
        linked = self.linked._replace(has_result=self._is_settled)
        self.end = self.end.with_log(want_rematch(linked, self._secret) if self._secret else linked)

    def press(self, secret: str) -> None:
        is_over = self._is_settled and self.end.match.stage is Stage.FINISHED
        if is_over and not self.end.awaits_answer:
            self._secret, self.end = secret, self.end.with_log(want_rematch(self.linked, secret))

    def hear(self, said: Sync | Rematch) -> Sync | Rematch | None:
        answer: Sync | Rematch | None = None
        if isinstance(said, Sync):
            answers = self.end.receive(said)
            self._is_settled |= self.end.is_settled
            answer = self.say() if answers else None
        else:
            self.end, answer = hear(self.end, said)
        if (follows := following(self.end)) is not None:
            self.played.append(self.linked)
            last = self.linked.agreement.session
            self._begin(follows)
            return begun_message(follows.linked, last)
        return answer

    def say(self) -> Sync | Rematch:
        return latest_message(self.linked, self.end.match)


@pytest.mark.parametrize("seed", fast_among(range(1, 41), range(1, 4)))
def test_boxes_play_one_match_after_another_whatever_happens_to_messages_and_plugs(seed: int) -> None:
    """Some messages come in a later match; plugs are pulled between the presses, and after the first."""
    random = Random(seed)
    boxes = [Box(end) for end in both_ends()]
    wire: list[tuple[int, bytes]] = []
    for _ in range(200_000):
        at, what = random.randrange(2), random.random()
        box, said = boxes[at], list[Sync | Rematch]()
        if what < 0.02:
            box.pull_the_plug()
        elif what < 0.1:
            box.press(random.randbytes(32).hex())
        elif (what < 0.4 and box.end.act(random)) or (what < 0.6 and box.end.awaits_answer):
            said.append(box.say())
        elif wire:
            number = random.randrange(len(wire))
            to, line = wire[number]
            if random.random() < 0.7:
                del wire[number]
            if random.random() < 0.7:
                at, heard = to, from_line(line)
                assert isinstance(heard, Sync | Rematch)
                answer = boxes[to].hear(heard)
                said += [answer] if answer is not None else []
        wire += [(1 - at, to_line(each)) for each in said]
        if all(len(each.played) == 3 for each in boxes):
            break
    host, guest = boxes
    assert len(host.played) == len(guest.played) == 3, "no end"
    for one, other in zip(host.played, guest.played, strict=True):
        assert agreement_hash(one.agreement) == agreement_hash(other.agreement)
        assert (one.entries, one.hashes) == (other.entries, other.hashes)
    chains = [linked.chain for box in boxes for linked in box.played]
    assert len(set(chains)) == 6, "nobody's dice are used twice"


def test_a_box_keeps_its_wish_and_in_which_session_it_plays(tmp_path: Path) -> None:
    """After a power cut it follows a box that has begun, and the helper knows the session."""
    end, _ = play(agreed(*play(both_ends())))
    host = end.linked
    link = Linked(host.agreement, host.seat, host.chain.secret, SESSION)
    with closing(Store(tmp_path, lambda: 1.8e9)) as store:
        beginning = host.agreement.beginning
        store.keep(Began(beginning, Conditions(linked=host.proof), link))
        for fact in end.kept:
            store.keep(fact)
        store.keep(Finished(end.match))
        store.keep(RematchWanted("3c" * 32))
    with closing(Store(tmp_path, lambda: 1.8e9)) as store:
        kept = store.running_match()
        assert kept is not None
        linked = kept.linked
        assert linked is not None
        assert linked.session == SESSION
        assert latest_message(linked, end.match) == Rematch(
            host.agreement.session, DiceChain("3c" * 32).commitment
        )
        store.keep(Began(beginning, Conditions(linked=host.proof), link))
        kept = store.running_match()
        assert kept is not None
        assert kept.linked is not None
        assert not kept.linked.next_secret, "its players have said nothing of the match after that"
