"""What each mode shows: the state as a screen, in the players' language.

Everything a player needs from two metres away is a die, a number or a short line; the words of
the faults are the judge's, in full.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from shutthebox.game.judge import Verdict, VerdictKind, viable
from shutthebox.game.menu import Translate
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.service import complaint, service_screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.game.trouble import trouble_text, trouble_word
from shutthebox.odds.advice import Hint
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, MatchFormat
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Refusal

MOST_HINTS = 9
"""Answers that a hint ranks."""

_OF_A_TURN = (Mode.RAISE, Mode.READY, Mode.ROLLING, Mode.FLIPPING, Mode.TURN_OVER)

_FAULTS = (VerdictKind.PUT_BACK, VerdictKind.LIFT, VerdictKind.OVER, VerdictKind.DEAD_END)


def build_screen(state: State, settings: Settings, words: Translate) -> Screen:
    """The screen for this state."""
    screen = _of_mode(state, settings, words)
    if state.trouble is not None and state.mode in _OF_A_TURN:
        screen = replace(screen, aside=trouble_word(state.trouble, words))
    if state.offering:
        return Screen(
            state.mode,
            title=words("Abandon the match?"),
            rows=(words("Press: yes"), words("Hold: no")),
        )
    if state.hint:
        return Screen(state.mode, title=words("Best first, with its cost"), rows=state.hint, cursor=0)
    if state.notice:
        return replace(screen, prompt=state.notice, alert=True)
    return screen


def _of_mode(state: State, settings: Settings, words: Translate) -> Screen:
    _ = words
    match = state.match
    if state.picker is not None:
        return _picker_screen(state, words)
    if state.mode is Mode.SERVICE:
        return service_screen(state, settings, words)
    if match is None:
        trouble = trouble_text(state.trouble, words) if state.trouble else complaint(state, settings, words)
        return Screen(
            state.mode,
            title=settings.profile.title(settings.language),
            aside=_without(settings.out & settings.profile.starting, words),
            big=_("SHUT THE BOX"),
            prompt=trouble or _("Press to play"),
            alert=bool(trouble),
        )
    match state.mode:
        case Mode.RAISE:
            return _turn_screen(state, match, settings, words, big=player_name(match, words))
        case Mode.READY:
            return _turn_screen(state, match, settings, words, big=_ready_big(state, match, words))
        case Mode.ROLLING:
            return _rolling_screen(state, match, settings, words)
        case Mode.FLIPPING:
            return _turn_screen(state, match, settings, words, dice=match.turn.throw or ())
        case Mode.TURN_OVER:
            return _turn_over_screen(state, match, words)
        case Mode.INITIALS:
            return _initials_screen(state, match, words)
        case _:
            return _match_over_screen(state, match, words)


def _picker_screen(state: State, words: Translate) -> Screen:
    picker = state.picker
    assert picker is not None, "menu and setup have a picker"
    chosen = picker.options[picker.cursor]
    prompt = words("Lever: choose  Press")
    if chosen.isdigit():
        return Screen(state.mode, title=picker.heading, big=chosen, prompt=prompt)
    rows = picker.options[picker.page : picker.page + picker.page_size]
    numbered = tuple(f"{number} {row}" for number, row in enumerate(rows, 1))
    return Screen(
        state.mode, title=picker.heading, rows=numbered, cursor=picker.cursor - picker.page, prompt=prompt
    )


def player_name(match: Match, words: Translate) -> str:
    """How the player whose turn it is is addressed."""
    return words("Player {number}").format(number=match.player + 1)


def _aside(match: Match, words: Translate) -> str:
    """The round, or what there is to beat."""
    if match.tie_rounds:
        return words("play-off")
    if match.profile.match is not MatchFormat.TOTAL or match.rounds > 1:
        number = str(match.round)
        return f"{number}/{match.rounds}" if match.profile.match is MatchFormat.TOTAL else number
    played = [score for i, score in enumerate(match.scores) if score is not None and i != match.player]
    return words("best {score}").format(score=min(played)) if played else ""


def _ready_big(state: State, match: Match, words: Translate) -> str:
    turn = match.turn
    if state.dice_hint is not None:
        dice, cost = state.dice_hint
        text = words("1 die: {cost} better") if dice == 1 else words("{dice} dice: {cost} better")
        return text.format(dice=dice, cost=f"{cost:.2f}")
    if turn.throws == 0:
        return player_name(match, words)
    return words("{sum} left").format(sum=sum_of(turn.open))


def _turn_screen(
    state: State,
    match: Match,
    settings: Settings,
    words: Translate,
    *,
    dice: tuple[int, ...] = (),
    big: str = "",
) -> Screen:
    prompt, alert = _prompt(state, match, words)
    aside = _aside(match, words)
    if state.mode is Mode.READY and not match.turn.throws:
        ailing = complaint(state, settings, words)
        prompt, alert = (ailing, True) if ailing and not alert else (prompt, alert)
        if match.scores[match.player] is None:
            out = settings.out & match.profile.all_tiles & ~match.profile.starting
            aside = _without(out, words) or aside
    return Screen(
        state.mode,
        title=player_name(match, words)
        if dice or match.turn.throws
        else match.profile.title(settings.language),
        aside=aside,
        dice=dice,
        total=sum(dice) if dice else None,
        big=big,
        tiles=tile_row(state, match),
        prompt=prompt,
        alert=alert,
    )


def _without(out: Tiles, words: Translate) -> str:
    return words("without {tiles}").format(tiles=", ".join(map(str, to_numbers(out)))) if out else ""


def _rolling_screen(state: State, match: Match, settings: Settings, words: Translate) -> Screen:
    if state.entry is None:
        dice = (state.rolled.turn.throw if state.rolled else None) or ()
        screen = _turn_screen(state, match, settings, words, dice=dice)
        return Screen(
            state.mode,
            title=screen.title,
            aside=screen.aside,
            dice=(1,) * len(dice),
            tumbling=True,
            tiles=screen.tiles,
            prompt=screen.prompt if screen.alert else "",
            alert=screen.alert,
        )
    entry = state.entry
    entered = "".join(f"{number}+" for number in entry.entered)
    heading = words("Total of your dice") if entry.numbers == 1 else words("Your dice, one by one")
    verdict_prompt, alert = _prompt(state, match, words)
    return Screen(
        state.mode,
        title=heading,
        big=f"{entered}{entry.count}",
        tiles=tile_row(state, match),
        prompt=verdict_prompt if alert else words("Press: +1  Hold: enter"),
        alert=alert,
    )


def _prompt(state: State, match: Match, words: Translate) -> tuple[str, bool]:
    """What to do next, and whether it reports a fault."""
    _ = words
    if state.verdict.kind in _FAULTS:
        return fault_text(state, words), True
    if state.answer is not None:
        return _computer_prompt(state, match, state.answer, words), False
    if state.verdict.kind is not VerdictKind.OK:
        return verdict_text(state.verdict, words), False
    if state.mode is Mode.RAISE:
        return _("Lift all levers"), False
    if state.mode is Mode.FLIPPING:
        if turns.reopenings(match.profile, match.turn):
            return _("No move: lift one tile"), False
        if not turns.answers(match.profile, match.turn):
            return _("No move: press"), False
        return _("Shut {total}").format(total=sum(match.turn.throw or ())), False
    if match.profile.draw is Draw.DOMINOES:
        return _("Press to draw"), False
    allowed = dice_allowed(match.profile, match.turn.open)
    if len(allowed) > 1:
        return _("Press {dice}, hold 1 die").format(dice=allowed[0]), False
    if allowed == (1,) and match.profile.dice > 1:
        return _("Press: one die"), False
    return _("Press to throw"), False


def _computer_prompt(state: State, match: Match, answer: Tiles, words: Translate) -> str:
    """What a hand has to do for the computer."""
    if not answer:
        return words("No move: press")
    if turns.reopenings(match.profile, match.turn):
        return words("Lift {tiles}").format(tiles=", ".join(map(str, to_numbers(answer))))
    rest = to_numbers(answer & ~state.levers)
    return words("Computer: flip {tiles}").format(tiles=", ".join(map(str, rest)))


def verdict_text(verdict: Verdict, words: Translate) -> str:
    """The judge's verdict in words."""
    _ = words
    tiles = ", ".join(map(str, verdict.tiles))
    match verdict.kind:
        case VerdictKind.PUT_BACK:
            return _("Put {tiles} back").format(tiles=tiles)
        case VerdictKind.LIFT:
            return _("Lift {tiles}").format(tiles=tiles)
        case VerdictKind.COMPLETE:
            return _("Right! Press to go on")
        case VerdictKind.MISSING:
            return _("{points} to go").format(points=verdict.amount)
        case VerdictKind.OVER:
            return _("{points} too many").format(points=verdict.amount)
        case VerdictKind.DEAD_END:
            return _("Does not fit: lift one")
        case VerdictKind.OK:
            return ""


def fault_text(state: State, words: Translate) -> str:
    """The verdict in words, and whether a lever rather than a hand seems to be the reason."""
    _ = words
    fault, wrong = verdict_text(state.verdict, words), to_tiles(state.verdict.tiles)
    if wrong & state.stuck:
        return _("{fault}: stuck?").format(fault=fault)
    if wrong & state.dead:
        return _("{fault}: no contact?").format(fault=fault)
    return fault


def commit_refusal(state: State, match: Match, words: Translate) -> str:
    """Why a press cannot commit what the levers show, in words."""
    verdict = state.verdict
    if turns.reopenings(match.profile, match.turn) and verdict.kind is VerdictKind.OK:
        return words("No move: lift one tile")
    if verdict.kind is VerdictKind.OK:
        least = min(sum_of(move) for move in turns.answers(match.profile, match.turn))
        text = words("{points} to go").format(points=least)
    else:
        text = fault_text(state, words)
    missing = state.dead & viable(match.profile, match.turn, state.levers)
    if missing and verdict.kind in (VerdictKind.OK, VerdictKind.MISSING):
        return words("{fault}: lever {tile}?").format(fault=text, tile=to_numbers(missing)[0])
    return text


def refusal_text(refusal: Refusal, words: Translate) -> str:
    """Why a number of dice cannot be thrown, in words."""
    _ = words
    match refusal:
        case Refusal.ONE_DIE_NEVER:
            return _("Never one die here")
        case Refusal.ONE_DIE_NOT_YET:
            return _("Not one die yet")
        case Refusal.ONE_DIE_ONLY:
            return _("One die now")


def hint_lines(hint: Hint) -> tuple[str, ...]:
    """The best answers to a throw and what the others cost in points, the best first."""
    return tuple(
        f"{','.join(map(str, to_numbers(move.tiles)))}\t+{move.cost:.2f}" for move in hint.moves[:MOST_HINTS]
    )


def tile_row(state: State, match: Match) -> tuple[tuple[int, TileState], ...]:
    """The tiles of the box, each with how the levers and the game see it."""
    profile, turn = match.profile, match.turn
    down = state.levers & profile.starting
    wrong = to_tiles(state.verdict.tiles)
    if state.verdict.kind is VerdictKind.COMPLETE:
        wrong = 0
    if state.verdict.kind in (VerdictKind.OVER, VerdictKind.DEAD_END):
        wrong = state.verdict.move
    if state.verdict.kind is VerdictKind.PUT_BACK and not turn.awaits_answer:
        # The row is being set for another player: all that is wrong, not only the first kind.
        wrong |= down & turn.open
    can_go = viable(profile, turn, down) if state.mode is Mode.FLIPPING else 0
    if state.answer is not None:
        can_go &= state.answer

    def state_of(tile: int) -> TileState:
        bit = to_tiles([tile])
        if bit & wrong:
            return TileState.WRONG
        if bit & ~turn.open:
            return TileState.SHUT
        if bit & down and state.mode is Mode.FLIPPING:
            return TileState.FLIPPED
        return TileState.VIABLE if bit & can_go else TileState.OPEN

    return tuple((tile, state_of(tile)) for tile in profile.tiles)


def _turn_over_screen(state: State, match: Match, words: Translate) -> Screen:
    _ = words
    turn = match.turn
    match turn.outcome:
        case Outcome.SHUT:
            prompt = _("Shut the box!")
        case Outcome.LOST:
            prompt = _("Lost: no {tile} to shut").format(tile=match.profile.first_move_must_include)
        case Outcome.ENDED:
            prompt = _("A {total} ends the turn").format(total=sum(turn.throw or ()))
        case _:
            prompt = _("Blocked by {total}").format(total=sum(turn.throw or ()))
    account = _account_rows(state, words)
    tiles = tuple(
        (tile, TileState.OPEN if turn.open & to_tiles([tile]) else TileState.SHUT)
        for tile in match.profile.tiles
    )
    return Screen(
        Mode.TURN_OVER,
        title=player_name(match, words),
        aside="+".join(map(str, turn.throw or ())),
        big=_("SHUT!") if turn.outcome is Outcome.SHUT else str(turn.score),
        rows=account,
        # The levers themselves show what is open; the score needs the room.
        tiles=() if account else tiles,
        prompt=prompt,
        alert=turn.outcome is not Outcome.SHUT,
    )


def _account_rows(state: State, words: Translate) -> tuple[str, ...]:
    """What the turn's score is made of: its value, the dice and the decisions."""
    account = state.account
    if account is None:
        return ()
    text = words("{start} dice {luck} play {given}")
    numbers = {
        "start": f"{float(account.start):.1f}",
        "luck": f"{float(account.luck):+.1f}",
        "given": f"{float(account.given_away):+.1f}",
    }
    return (text.format(**numbers),)


def _initials_screen(state: State, match: Match, words: Translate) -> Screen:
    assert match.result is not None, "only a winner signs"
    return Screen(
        Mode.INITIALS,
        title=words("Player {player}: initials").format(player=match.result.winners[0] + 1),
        big=f"{state.signed}{state.letter}".ljust(3, "_"),
        prompt=words("Levers 1 and 2, press"),
    )


def _match_over_screen(state: State, match: Match, words: Translate) -> Screen:
    _ = words
    result = match.result
    assert result is not None, "a finished match has a result"
    names = ", ".join(str(winner + 1) for winner in result.winners)
    if len(result.winners) > 1:
        title = _("Shared by {players}").format(players=names)
    elif result.captain:
        title = _("Captain {player} wins!").format(player=names)
    else:
        title = _("Player {player} wins!").format(player=names)
    rows = tuple(_result_row(match, state.ledger, i, words) for i in range(match.players))
    if any(state.luck) or any(state.given_away):
        skill = words("{player}: dice {luck} play {given}")
        rows += tuple(
            skill.format(player=i + 1, luck=f"{float(luck):+.1f}", given=f"{float(given):+.1f}")
            for i, (luck, given) in enumerate(zip(state.luck, state.given_away, strict=True))
        )
    return Screen(
        Mode.MATCH_OVER, title=title, rows=rows, cursor=result.winners[0], prompt=_("Press: play again")
    )


def _result_row(match: Match, ledger: Sequence[Fraction], player: int, words: Translate) -> str:
    score = "-" if match.scores[player] is None else str(match.totals[player])
    return f"{player + 1}: {score}{owes_text(ledger[player], words)}"


def owes_text(owes: Fraction, words: Translate) -> str:
    """What a player owes or gets, with a space before it; empty for nothing."""
    if owes > 0:
        return " " + words("owes {stakes}").format(stakes=owes)
    if owes < 0:
        return " " + words("gets {stakes}").format(stakes=-owes)
    return ""


def open_tiles(match: Match | None) -> tuple[int, ...]:
    """The tiles that the game holds open; none without a match."""
    return to_numbers(match.turn.open) if match else ()
