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
    hear_rematch,
    latest_message,
    next_match,
    next_name,
    tell_begun,
    want_rematch,
)
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import First
from shutthebox.rules.reader import with_options

SESSION = "5e" * 16


def both_ends(match: tuple[LinkedMatch, LinkedMatch] | None = None, first: First | None = None) -> list[End]:
    """Two boxes before the first throw: of this match, or of a first one."""
    if match is None:
        game = linkable(with_options(builtin("pub"), first=first))
        assert game is not None
        chains = DiceChain("5e" * 32), DiceChain("fa" * 32)
        invited = invite(game, 1, "The Anchor", chains[0], "3b" * 32)
        accepted = Accept("The Crown", chains[1].commitment, "a0" * 32)
        agreement = agree(invited, invited_game(invited), accepted, SESSION)
        match = join(agreement, 0, chains[0]), join(agreement, 1, chains[1])
    ends = [End(linked.agreement, linked.seat, linked.chain) for linked in match]
    for end, linked in zip(ends, match, strict=True):
        end.linked = linked
    return ends


def play(ends: list[End], seed: int = 1) -> tuple[LinkedMatch, LinkedMatch]:
    """Plays to the end; returns both boxes' ends of the finished match."""
    random = Random(seed)
    while any(not end.linked.is_settled or end.linked.awaits_confirmation for end in ends):
        for end, other in (ends, ends[::-1]):
            other.receive(end.linked.message())
            end.act(random)
    return ends[0].linked, ends[1].linked


def want(linked: LinkedMatch, box: str) -> tuple[LinkedMatch, Rematch]:
    """The match once its players want another one, and what the box then says."""
    linked = want_rematch(linked, sha256(f"{linked.agreement.session} {box}".encode()).hexdigest())
    said = latest_message(linked)
    assert isinstance(said, Rematch)
    assert from_line(to_line(said)) == said
    return linked, said


def agreed(host: LinkedMatch, guest: LinkedMatch) -> tuple[LinkedMatch, LinkedMatch]:
    """Both boxes' ends of the next match, once players at both have pressed."""
    (host, hosts), (guest, guests) = want(host, "host"), want(guest, "guest")
    found = next_match(hear_rematch(host, guests)[0]), next_match(hear_rematch(guest, hosts)[0])
    assert found[0] is not None
    assert found[1] is not None
    return found[0], found[1]


@pytest.mark.parametrize("seed", range(1, 7))
def test_both_boxes_mean_the_same_next_match_which_the_loser_begins(seed: int) -> None:
    last = play(both_ends(), seed)
    loser = last[0].match.loser
    assert loser is not None
    names = last[0].agreement.names
    for _ in range(3):
        following = agreed(*last)
        assert agreement_hash(following[0].agreement) == agreement_hash(following[1].agreement)
        assert {linked.seat for linked in following} == {0, 1}
        agreement = following[0].agreement
        assert agreement.names[agreement.first] == names[loser]
        for before, after in zip(last, following, strict=True):
            assert after.agreement.names[after.seat] == before.agreement.names[before.seat]
            assert after.agreement.keys[after.seat] == before.agreement.keys[before.seat]
            assert after.session == SESSION, "the helpers have no other"
            assert after.agreement.session not in (SESSION, before.agreement.session)
            assert after.chain != before.chain
        last = play(both_ends(following), seed)
        names, loser = last[0].agreement.names, last[0].match.loser
        assert loser is not None


@pytest.mark.parametrize("first", [First.LOSER, First.WINNER, First.ROTATES, First.ROLL])
def test_the_game_may_say_who_begins_the_next_match(first: First) -> None:
    last = play(both_ends(first=first))
    match, names = last[0].match, last[0].agreement.names
    assert match.result is not None
    begins = match.result.winners[0] if first is First.WINNER else match.loser
    assert begins is not None
    agreement = agreed(*last)[0].agreement
    assert agreement.names[agreement.first] == names[begins]
    assert agreement.beginning.player == agreement.first


def test_no_message_of_one_match_is_taken_for_one_of_another() -> None:
    """A late one told the other box that the match didn't count."""
    last = play(both_ends())
    following = agreed(*last)
    for before, after in zip(last, following[::-1], strict=True):
        late = before.message()
        assert after.receive(late) == (after, (), False)
        early = after.message()
        assert from_line(to_line(early)) == early
        assert before.receive(early) == (before, (), False)
        assert before.receive(early._replace(match=next_name(early.match))) == (before, (), False)


def test_a_first_match_is_played_in_words_that_earlier_versions_know() -> None:
    host, _ = both_ends()
    assert to_line(host.linked.message()).count(b",") == 5
    assert host.linked.message().match == ""


def test_a_box_whose_answer_got_lost_is_answered_again_until_it_follows() -> None:
    host, guest = play(both_ends())
    (host, _), (guest, asks) = want(host, "host"), want(guest, "guest")
    begun = next_match(hear_rematch(host, asks)[0])
    assert begun is not None
    for _ in range(3):
        after, answer = hear_rematch(begun, asks)
        assert after == begun
        assert answer is not None
    assert answer is not None
    follows = next_match(hear_rematch(guest, answer)[0])
    assert follows is not None
    assert hear_rematch(follows, answer) == (follows, None), "they don't answer each other for ever"
    begun, _, _ = begun.receive(follows.message())
    assert hear_rematch(begun, asks) == (begun, None), "a late one"


def test_a_hostile_box_starts_no_match_that_nobody_wants_here() -> None:
    host, guest = play(both_ends())
    _, said = want(guest, "guest")
    heard, answer = hear_rematch(host, said)
    assert answer is None
    assert next_match(heard) is None, "nobody here has pressed"
    host, own = want(host, "host")
    lies = (
        said._replace(match=next_name(SESSION)),
        said._replace(match="0" * 32),
        said._replace(commitment=own.commitment),
    )
    for lie in lies:
        assert next_match(hear_rematch(host, lie)[0]) is None, lie
    (playing, _) = both_ends()
    assert hear_rematch(playing.linked, said) == (playing.linked, None), "the match isn't over"
    begun, _ = agreed(host, guest)
    other = Rematch(SESSION, DiceChain("77" * 32).commitment)
    assert hear_rematch(begun, other) == (begun, None), "it has agreed on other dice"


def test_a_box_that_wants_a_rematch_has_the_result() -> None:
    """After a power cut its players couldn't go on: the other box said nothing of the old match any more."""
    host, guest = play(both_ends())
    restarted = guest._replace(confirmed=None, confirmed_hash="", acknowledged=0)
    assert restarted.awaits_confirmation
    _, said = want(host, "host")
    heard, _ = hear_rematch(restarted, said)
    assert not heard.awaits_confirmation
    assert not want(restarted, "guest")[0].awaits_confirmation, "nor does it ask again what it knew"


def test_the_links_of_the_last_match_are_none_of_the_next() -> None:
    host, _ = play(both_ends())
    following, _ = agreed(*play(both_ends()))
    link = host.chain.link(1)
    said = Sync(0, following.hash, 1, (), link, None, following.agreement.session)
    assert following.receive(said)[0].links == following.links


class Box:
    """A box whose plug is pulled now and then: what it has kept, and what it only has in its memory."""

    def __init__(self, linked: LinkedMatch) -> None:
        self.played = list[LinkedMatch]()
        self._begin(linked)

    def _begin(self, linked: LinkedMatch) -> None:
        self._beginning, self._secret, self._is_settled = linked, "", False
        self.end = both_ends((linked, linked))[0]

    @property
    def linked(self) -> LinkedMatch:
        return self.end.linked

    def pull_the_plug(self) -> None:
        kept = self.end.kept
        self.end = both_ends((self._beginning, self._beginning))[0]
        self.end.keep(*kept)
        self.end.linked = self.linked._replace(is_settled=self._is_settled)
        if self._secret:
            self.end.linked = want_rematch(self.linked, self._secret)

    def press(self, secret: str) -> None:
        is_over = self._is_settled and self.linked.match.stage is Stage.FINISHED
        if is_over and not self.linked.awaits_answer:
            self._secret, self.end.linked = secret, want_rematch(self.linked, secret)

    def hear(self, said: Sync | Rematch) -> Sync | Rematch | None:
        answer: Sync | Rematch | None = None
        if isinstance(said, Sync):
            answers = self.end.receive(said)
            self._is_settled |= self.linked.is_settled
            answer = latest_message(self.linked) if answers else None
        else:
            self.end.linked, answer = hear_rematch(self.linked, said)
        if (following := next_match(self.linked)) is not None:
            self.played.append(self.linked)
            last = self.linked.agreement.session
            self._begin(following)
            return tell_begun(following, last)
        return answer


@pytest.mark.parametrize("seed", fast_among(range(1, 41), range(1, 4)))
def test_boxes_play_one_match_after_another_whatever_happens_to_messages_and_plugs(seed: int) -> None:
    """Some messages come in a later match; plugs are pulled between the presses, and after the first."""
    random = Random(seed)
    boxes = [Box(end.linked) for end in both_ends()]
    wire: list[tuple[int, bytes]] = []
    for _ in range(200_000):
        at, what = random.randrange(2), random.random()
        box, said = boxes[at], list[Sync | Rematch]()
        if what < 0.02:
            box.pull_the_plug()
        elif what < 0.1:
            box.press(random.randbytes(32).hex())
        elif (what < 0.4 and box.end.act(random)) or (what < 0.6 and box.linked.awaits_answer):
            said.append(latest_message(box.linked))
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
        assert (one.entries, one.hash) == (other.entries, other.hash)
    chains = [linked.chain for box in boxes for linked in box.played]
    assert len(set(chains)) == 6, "nobody's dice are used twice"


def test_a_box_keeps_its_wish_and_in_which_session_it_plays(tmp_path: Path) -> None:
    """After a power cut it follows a box that has begun, and the helper knows the session."""
    ends = both_ends(agreed(*play(both_ends())))
    host, _ = play(ends)
    link = Linked(host.agreement, host.seat, host.chain.secret, SESSION)
    with closing(Store(tmp_path, lambda: 1.8e9)) as store:
        beginning = host.agreement.beginning
        store.keep(Began(beginning, Conditions(linked=host.proof), link))
        for fact in ends[0].kept:
            store.keep(fact)
        store.keep(Finished(host.match))
        store.keep(RematchWanted("3c" * 32))
    with closing(Store(tmp_path, lambda: 1.8e9)) as store:
        kept = store.running_match()
        assert kept is not None
        linked = kept.linked
        assert linked is not None
        assert linked.session == SESSION
        assert latest_message(linked) == Rematch(host.agreement.session, DiceChain("3c" * 32).commitment)
        store.keep(Began(beginning, Conditions(linked=host.proof), link))
        kept = store.running_match()
        assert kept is not None
        assert kept.linked is not None
        assert not kept.linked.rematch, "its players have said nothing of the match after that"
