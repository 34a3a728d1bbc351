"""``shutthebox odds`` of a tug: the chance of the current player to move the last tile."""

from shutthebox.cli.odds_text import percent, tidy
from shutthebox.odds.tug import tug_play
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers, to_text
from shutthebox.rules.turn import Turn, start


def tug_document(profile: Profile, turn: Turn) -> dict[str, object]:
    """The odds of a position as JSON: chances to win, 0 to 1."""
    play = tug_play(profile)
    moves = None
    if turn.throw is not None:
        ranked = play.ranked(turn)
        moves = [{"tiles": list(to_numbers(tiles)), "win": tidy(win)} for tiles, _, win in ranked if tiles]
    return {
        "profile": profile.name,
        "open": list(to_numbers(turn.open)),
        "win": tidy(play.worth(turn)),
        "one_die": play.one_die(turn),
        "moves": moves,
    }


def tug_text(profile: Profile, turn: Turn) -> str:
    """The odds of a position as lines of text."""
    play = tug_play(profile)
    row = " ".join(map(str, to_numbers(turn.open)))
    thrown = f", {'+'.join(map(str, turn.throw))} thrown" if turn.throw else ""
    lines = [f"{profile.title()}: {row} to move{thrown} (both playing for the win)", ""]
    if turn == start(profile):
        own = play.worth(turn)
        lines += [f"whoever begins wins  {percent(own)}", f"the other wins   {percent(1 - own)}"]
    else:
        lines.append(f"chance to win    {percent(play.worth(turn))}")
    one_die = play.one_die(turn)
    if one_die is not None:
        lines.append(f"best to throw    {'one die' if one_die else f'{profile.dice} dice'}")
    ranked = [each for each in play.ranked(turn) if each[0]]
    if turn.throw is not None and not ranked:
        lines += ["", f"no move: the turn {'goes on' if turn.outcome is None else f'is {turn.outcome}'}"]
    elif ranked:
        best = ranked[0][2]
        lines += ["", f"{'move':<16} {'to win':>9} {'costs':>9}"]
        lines += [
            f"{to_text(tiles):<16} {percent(win):>9} {percent(best - win):>9}" for tiles, _, win in ranked
        ]
    return "\n".join(lines)
