"""The wording of throws, levers and refusals, shared by all modes."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from shutthebox.game.board import Board
from shutthebox.game.judge import Verdict, VerdictKind
from shutthebox.game.lever_tiles import has_other_numbers, tiles_of_move
from shutthebox.game.messages import (
    ListRow,
    Message,
    Name,
    Numbers,
    Seat,
    Text,
    TileSum,
    Translate,
    decimal,
    message,
)
from shutthebox.game.play import offset_of
from shutthebox.game.screen import LIST_ROWS
from shutthebox.game.state import Shared
from shutthebox.odds.options import Advice, Unit
from shutthebox.rules import rows
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import totals
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Reason, Stage
from shutthebox.rules.profile import Draw, MoveKind, Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn
from shutthebox.texts import plural

MAX_HINTS = 9
"""The most answers that a hint ranks."""

MAX_TOTALS = 4
"""The most totals that are named as still to go."""

MAX_OTHERS = 3
"""The most players whose answers to the throw for everyone are named, so that the prompt soon returns."""

MAX_NAMED = 3
"""The most tiles at the back whose levers are named, so that the prompt soon returns."""

PROMPT_LENGTH = 16
"""Characters of a prompt that are read at a glance; answers beyond are cut."""

MAX_PAGES = 6
"""The most pages of rules; nobody reads more on the panel."""

PAGE_LENGTH = 67
"""Characters of two English sentences that a page of the panel holds in every language."""


def list_tiles(tiles: Tiles) -> Numbers:
    """The numbers of these tiles or levers."""
    return Numbers(to_numbers(tiles))


def player_name(player: int, shared: Shared) -> Text:
    """What to call a player (from 0): three letters, the computer, the box far away, or the seat's number."""
    if shared.boxes:
        return Name(shared.boxes[player])
    computers = shared.settings.game.computers
    if player + 1 in computers:
        return message("Computer") if len(computers) == 1 else message("Computer {number}", number=player + 1)
    if letters := shared.name(player):
        return Name(letters)
    return message("Player {number}", number=player + 1)


def seat(player: int, shared: Shared) -> Seat:
    """A player, from 0, in a table."""
    return Seat(player + 1, player_name(player, shared))


def verdict_text(verdict: Verdict) -> Message:
    """The judge's verdict; empty if there's nothing to say."""
    match verdict.kind:
        case VerdictKind.PUT_BACK if verdict.lifts:
            return message("Lift {tiles}", tiles=Numbers(verdict.tiles))
        case VerdictKind.PUT_BACK:
            return message("Put {tiles} back", tiles=Numbers(verdict.tiles))
        case VerdictKind.LIFT:
            return message("Lift {tiles}", tiles=Numbers(verdict.tiles))
        case VerdictKind.COMPLETE:
            return message("Right! Press")
        case VerdictKind.MISSING:
            return message("{points} to go", points=verdict.amount)
        case VerdictKind.OVER:
            return message("{points} over", points=verdict.amount)
        case VerdictKind.DEAD_END if verdict.opens:
            return message("No fit: shut one")
        case VerdictKind.DEAD_END:
            return message("Dead end: lift one")
        case VerdictKind.OK:
            return Message("")


def fault_text(verdict: Verdict, shared: Shared) -> Message:
    """The verdict, or the broken lever that seems to have caused it."""
    fault, wrong = verdict_text(verdict), to_tiles(verdict.tiles)
    if wrong & shared.stuck:
        return message("{fault}: stuck?", fault=fault)
    if wrong & shared.dead:
        return message("{fault}: dead?", fault=fault)
    return fault


def idle_text(match: Match, shared: Shared, moved: Tiles) -> Message | None:
    """Says that the lever that moved does nothing this turn; None if one of those that moved does.

    Its tile starts shut, or isn't in the game.
    """
    if match.stage not in (Stage.THROW, Stage.ANSWER):
        return None
    row = match.rules.starting
    idle = moved & ~(row | row << offset_of(match, shared))
    return message("{tile} not in play", tile=to_numbers(idle)[0]) if idle and idle == moved else None


def answers_text(match: Match) -> Message:
    """The answers to the throw: totals, or tiles where totals are ambiguous.

    For example ``8``, ``8 or 4``, ``8 with 2``, ``3+5 or 8``. With nine dice there can be hundreds, so it
    names as many as fit.
    """
    rules, legal = match.rules, turns.answers(match.rules, match.turn)
    if rules.move is MoveKind.SET:
        made = turns.sums(rules, match.turn, legal)
        found = [str(total) for total in totals(rules, match.turn.throw or ()) if total in made]
    else:
        highest_first = sorted(legal, key=lambda move: (move.bit_count(), -move))
        # Two tiles at the back may have the same number.
        found = list(dict.fromkeys(answer_tiles(match, move).localize(str) for move in highest_first))
    answers: Text
    listed_all = ", ".join(found)
    room = PROMPT_LENGTH - len("Make ")
    if rules.move is MoveKind.SET and len(listed_all) + len(" or") - len(",") <= room:
        answers = _either(found)
    elif rules.move is MoveKind.SET and len(listed_all) <= room:
        answers = listed_all
    elif len(listed_all) > PROMPT_LENGTH - len("Shut  or "):
        named = [found[0]]
        for answer in found[1:]:
            if len(", ".join([*named, answer])) > PROMPT_LENGTH - len("Shut …"):
                break
            named.append(answer)
        answers = ", ".join(named) + "…"
    else:
        answers = _either(found)
    must = rules.first_move_must_include
    if rules.move is MoveKind.SET and must is not None and not match.turn.moves:
        return message("Make {answers} with {tile}", answers=answers, tile=must)
    if match.turn.opens:
        return message("Open {answers}", answers=answers)
    if rules.move is MoveKind.SET:
        # "Shut 6" sounds like tile 6, where any tiles that come to 6 will do.
        return message("Make {answers}", answers=answers)
    return message("Shut {answers}", answers=answers)


def _either(found: Sequence[str]) -> Text:
    """A choice: ``9``, ``9 or 1``, ``10, 2 or 24``."""
    *first, last = found
    return message("{some} or {last}", some=", ".join(first), last=last) if first else last


def bag_texts(match: Match) -> tuple[Message, ...]:
    """How many dominoes are left in the bag; nothing where there's none."""
    if match.rules.draw is not Draw.DOMINOES:
        return ()
    return (message("{count} in the bag", count=len(turns.bag(match.rules, match.turn))),)


def others_texts(match: Match, shared: Shared) -> tuple[Message, ...]:
    """How players who have already answered the throw for everyone answered it."""
    return tuple(
        _answer_of(match.round.rows[seat], numbers, player_name(seat, shared))
        for seat, numbers in match.answers_of_others[-MAX_OTHERS:]
    )


def _answer_of(row: Turn, numbers: tuple[int, ...], player: Text) -> Message:
    if row.outcome is Outcome.SHUT:
        return message("{player}: shut!", player=player)
    if numbers:
        return message("{player}: {tiles}", player=player, tiles=TileSum(numbers))
    if row.outcome is None:
        return message("{player}: no move", player=player)
    return message("{player}: blocked", player=player)


def to_go_text(board: Board) -> Message:
    """The totals that the levers still lack, in the order in which the throw names them."""
    rules, turn, moved = board.rules, board.turn, board.moved
    legal = [move for move in board.answers if not moved & ~move]
    taken = rows.sum_of_move(rules, turn.open, turn.behind, moved)
    sums = turns.sums(rules, turn, legal)
    read = [total for total in totals(rules, turn.throw or ()) if total in sums]
    left = [total - taken for total in dict.fromkeys((*read, *sorted(sums, reverse=True)))]
    if len(left) == 1 or len(left) > MAX_TOTALS:
        return message("{points} to go", points=min(left))
    return message("{points} to go", points=_either([*map(str, left)]))


def request_text(board: Board, verdict: Verdict) -> Message:
    """What to flip for the computer, which has chosen an answer."""
    if verdict.lifts:
        return verdict_text(verdict)
    if not board.asked:
        return message("No move: press")
    if board.to_open:
        return message("Lift {tiles}", tiles=list_tiles(board.asked))
    to_flip = board.asked_rest & ~board.flipped
    if board.standing.opens:
        return message("Lift {tiles}", tiles=list_tiles(to_flip))
    levers = Numbers(board.levers_of(to_flip))
    if has_other_numbers(board.rules, board.offset):
        return message("Flip lever {levers}", levers=levers)
    return message("Flip {tiles}", tiles=levers)


def commit_refusal(board: Board, verdict: Verdict, shared: Shared) -> Message:
    """Why a press can't commit the levers as they stand."""
    text: Message
    if board.asked is not None and not verdict.is_fault:
        # What is asked for is tiles: points to go would read as one.
        text = request_text(board, verdict)
    elif board.to_open and verdict.kind is VerdictKind.OK:
        return message("No move: lift one")
    elif verdict.kind in (VerdictKind.OK, VerdictKind.MISSING):
        text = to_go_text(board)
    else:
        text = fault_text(verdict, shared)
    missing = shared.dead & to_tiles(board.levers_of(board.can_follow))
    if missing and verdict.kind in (VerdictKind.OK, VerdictKind.MISSING):
        return message("{fault}: lever {tile}?", fault=text, tile=to_numbers(missing)[0])
    return text


def hint_title(hint: Advice) -> Message:
    """A hint's heading: its goals, or the unit of its costs."""
    if hint.best_to_win is not None:
        return message("Best for")
    match hint.unit:
        case Unit.POINTS:
            return message("Best, in points")
        case Unit.THROWS:
            return message("Best, in throws")
        case Unit.STAKES:
            return message("Best, in stakes")
        case Unit.CHANCE:
            return message("Best, to win")


def answer_tiles(match: Match, answer: Tiles) -> TileSum:
    """An answer by its tiles, those of a back row apart."""
    tiles = tiles_of_move(match.rules, match.turn, 0, answer)
    front, back = ([tile.number for tile in tiles if tile.at_back is at_back] for at_back in (False, True))
    return TileSum(tuple(front), tuple(back))


def hinted_answers(hint: Advice) -> tuple[Tiles, ...]:
    """The answers that a hint shows at once."""
    if hint.best_to_win is not None:
        return hint.options[0].choice, hint.best_to_win
    return tuple(option.choice for option in hint.options[:LIST_ROWS])


def back_texts(match: Match, answers: Iterable[Tiles], shared: Shared) -> tuple[Message, ...]:
    """Which levers move the tiles at the back that these answers need."""
    offset = offset_of(match, shared)
    tiles = (tile for move in answers for tile in tiles_of_move(match.rules, match.turn, offset, move))
    return tuple(dict.fromkeys(tile.text for tile in tiles if tile.at_back))[:MAX_NAMED]


def _by_numbers(answer: Tiles) -> TileSum:
    return TileSum(to_numbers(answer))


def hint_lines(hint: Advice, name: Callable[[Tiles], TileSum] = _by_numbers) -> tuple[ListRow, ...]:
    """The best answers to a throw, then the others with their costs.

    If winning calls for a different answer, both that one and the best one for points.
    """
    if hint.best_to_win is not None:
        aims = message("points"), message("the win")
        return tuple(ListRow(name(tiles), aim) for tiles, aim in zip(hinted_answers(hint), aims, strict=True))
    best = hint.options[:MAX_HINTS]
    return tuple(answer_line(option.choice, option.cost, hint.unit, name) for option in best)


def answer_line(
    tiles: Tiles, cost: float, unit: Unit = Unit.POINTS, name: Callable[[Tiles], TileSum] = _by_numbers
) -> ListRow:
    """An answer to a throw: the best one, or what it costs."""
    answer = name(tiles)
    return ListRow(answer, message("costs {cost}", cost=_cost(cost, unit)) if cost else message("is best"))


def dice_hint(hint: Advice) -> tuple[Message, Message | None]:
    """The best number of dice and the cost of the other; None if they're equally good."""
    best, other = hint.options
    if not other.cost:
        return message("1 or {dice} dice", dice=max(best.choice, other.choice)), None
    cost = _cost(other.cost, hint.unit)
    costs = message(plural("1 die costs {cost}", "{dice} dice cost {cost}"), dice=other.choice, cost=cost)
    return message(plural("1 die is best", "{dice} dice are best"), dice=best.choice), costs


def _cost(cost: float, unit: Unit) -> Text:
    """A cost above 0, with one decimal if that adds anything."""
    shown = 100 * cost if unit is Unit.CHANCE else cost
    figure = decimal(shown, 1 if round(shown, 1) else 2)
    return message("{percent} %", percent=figure) if unit is Unit.CHANCE else figure


REACHED = plural("1 reached", "{points} reached")


def reason_text(match: Match) -> Message | None:
    """Why the match ended, in one line; None while it goes on, or if the totals make it obvious."""
    reason = match.result.reason if match.result else None
    match reason:
        case Reason.SHUT:
            return message("All open!") if match.turn.opens else message("Box shut!")
        case Reason.PLAY_OFF:
            scores = " : ".join(str(match.round_scores[seat]) for seat in match.round.seats)
            if len(scores) + len("Play-off ") > PROMPT_LENGTH:
                return message("After a play-off")
            return message("Play-off {scores}", scores=scores)
        case Reason.LIMIT:
            return message(REACHED, points=match.rules.limit or 0)
        case Reason.LAST_LEFT:
            return message("The last one left")
        case Reason.ROUNDS if not match.has_totals:
            return message(plural("1 throw", "{throws} throws"), throws=match.round.throws)
        case Reason.ROUNDS | Reason.BANK | Reason.LADDER | None:
            return None


def luck_texts(game: Profile, luck: Fraction, given_away: Fraction | None) -> tuple[Message, ...]:
    """The worth of the dice and the decisions, in points, in words.

    Luck that rounds to 0.0 is left out. In turns without points, everything is chances to win, in per cent.

    Args:
        game: the game; it says whether more points are better.
        luck: points the dice added to the score.
        given_away: points the decisions cost, 0 or more; None to leave them out.
    """
    in_chance = not order_of(game).has_points
    luck *= 100 if in_chance else 1

    def amount(value: float) -> Text:
        figure = decimal(value, 1)
        return message("{percent} %", percent=figure) if in_chance else figure

    points = amount(abs(float(luck)))
    decided: tuple[Message, ...] = ()
    if given_away is not None:
        cost = message("mistakes {points}", points=amount(float(given_away * (100 if in_chance else 1))))
        decided = (cost if given_away else message("no mistakes!"),)
    if round(abs(float(luck)), 1) == 0:
        return decided
    if (luck > 0) == (game.highest_wins or in_chance):
        return message("lucky {points}", points=points), *decided
    return message("unlucky {points}", points=points), *decided


class Distinction(NamedTuple):
    """How a game differs from the traditional one."""

    game: Profile

    def localize(self, translate: Translate) -> str:
        """The sentence with the difference, in the players' language."""
        # Imported lazily, here and below, to keep startup fast.
        from shutthebox.rules.words import distinction

        return distinction(self.game, translate)


class Sentences(NamedTuple):
    """Sentences of a game's rules, by index."""

    game: Profile
    places: tuple[int, ...]

    def localize(self, translate: Translate) -> str:
        """The chosen sentences of the rules, in the players' language, as one text."""
        from shutthebox.rules.words import explain

        sentences = explain(self.game, translate)
        return " ".join(sentences[place] for place in self.places)


def rules_pages(game: Profile) -> tuple[Sentences, ...]:
    """The rules, in at most six pages of a sentence or two.

    What differs from the traditional game comes first, then the most important rules that fit. Two sentences
    share a page if it holds both; if the differences still need more than six pages, any two share one.
    """
    from shutthebox.rules.words import explain, shared_rules

    lengths, shared = [len(sentence) for sentence in explain(game)], shared_rules(game)
    places = list(range(len(lengths) - len(shared)))
    fits = len(_pair(places, lengths, PAGE_LENGTH)) <= MAX_PAGES
    most = PAGE_LENGTH if fits else sum(lengths)
    for place in shared:
        more = sorted((*places, place))
        if len(_pair(more, lengths, most)) <= MAX_PAGES:
            places = more
    return tuple(Sentences(game, page) for page in _pair(places, lengths, most)[:MAX_PAGES])


def _pair(places: Sequence[int], lengths: Sequence[int], most: int) -> list[tuple[int, ...]]:
    pages: list[tuple[int, ...]] = []
    for place in places:
        if pages and len(pages[-1]) == 1 and lengths[pages[-1][0]] + lengths[place] <= most:
            pages[-1] += (place,)
        else:
            pages.append((place,))
    return pages
