"""What each mode shows: the state as a screen, in the players' language.

Everything a player needs from two metres away is a die, a number or a short line; the words of
the faults are the judge's, in full.
"""

from dataclasses import replace

from shutthebox.game.endings import initials_screen, match_over_screen, turn_over_screen
from shutthebox.game.judge import VerdictKind, viable
from shutthebox.game.menu import Translate
from shutthebox.game.mode import Mode
from shutthebox.game.prompts import player_name, prompt_for
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.service import complaint, service_screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.game.trouble import trouble_text, trouble_word
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MatchFormat
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles

_OF_A_TURN = (Mode.RAISE, Mode.READY, Mode.ROLLING, Mode.FLIPPING, Mode.TURN_OVER)


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
            return turn_over_screen(state, match, words)
        case Mode.INITIALS:
            return initials_screen(state, match, words)
        case _:
            return match_over_screen(state, match, words)


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


def _aside(match: Match, words: Translate) -> str:
    """The round, or what there is to beat."""
    if match.tie_rounds:
        return words("play-off")
    if match.profile.match is not MatchFormat.TOTAL or match.rounds > 1:
        number = str(match.round)
        return f"{number}/{match.rounds}" if match.profile.match is MatchFormat.TOTAL else number
    played = [score for i, score in enumerate(match.scores) if score is not None and i != match.player]
    if not played:
        return ""
    best = max if match.profile.highest_wins else min
    return words("best {score}").format(score=best(played))


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
    prompt, alert = prompt_for(state, match, words)
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
    verdict_prompt, alert = prompt_for(state, match, words)
    return Screen(
        state.mode,
        title=heading,
        big=f"{entered}{entry.count}",
        tiles=tile_row(state, match),
        prompt=verdict_prompt if alert else words("Press: +1  Hold: enter"),
        alert=alert,
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


def open_tiles(match: Match | None) -> tuple[int, ...]:
    """The tiles that the game holds open; none without a match."""
    return to_numbers(match.turn.open) if match else ()
