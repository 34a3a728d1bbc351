"""The rules of a profile in sentences, English and French, made from its keys.

The sentences are data: `_facts` picks for a profile which ones apply, by the same ids in both
languages, so that a rule and its words cannot drift apart and a language cannot lag behind.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from shutthebox.rules.moves import HIGH
from shutthebox.rules.profile import Draw, MatchFormat, OneDie, Profile, ShutWins, Win
from shutthebox.rules.score import lost_score
from shutthebox.rules.tiles import to_numbers

LANGUAGES = ("en", "fr")

_Value: TypeAlias = int | Sequence[int]
_Fact: TypeAlias = tuple[str, dict[str, _Value]]

ENGLISH: dict[str, str] = {
    "tiles": "The box has {count} tiles, {tiles}.",
    "tiles.one": "The box has one tile, the {tiles}.",
    "boxes": "The same rules are played on boxes with {boxes} tiles.",
    "start_open.all": "A turn starts with every tile open.",
    "start_open": "A turn starts with only tiles {tiles} open; the others are shut and stay shut.",
    "start_open.one": "A turn starts with only tile {tiles} open; the others are shut and stay shut.",
    "dice": "A throw is {dice} dice with {sides} sides each.",
    "dice.one": "A throw is one die with {sides} sides.",
    "draw=dominoes": "There are no dice: a throw is a domino drawn from a bag of 21, 1-1 to 6-6. Drawn "
    "dominoes stay out; the bag is full again for every turn, and when it has run empty.",
    "one_die=never": "All {dice} dice are always thrown.",
    "one_die=never.two": "Both dice are always thrown.",
    "one_die=optional-high": "When no tile above 6 is open, the player may throw one die instead.",
    "one_die=forced-high": "When no tile above 6 is open, one die must be thrown.",
    "one_die=optional-sum": "When the open tiles add up to 6 or less, the player may throw one die instead.",
    "one_die=forced-sum": "When the open tiles add up to 6 or less, one die must be thrown.",
    "one_die=only-one": "When tile 1 is the only one open, one die must be thrown.",
    "move=set": "For a throw the player shuts any set of open tiles that adds up to its total.",
    "move=single": "For a throw the player shuts exactly one open tile: the total, or what one of the dice "
    "shows.",
    "move=exact": "The whole throw must be used: the player shuts the tile of the total, or one tile for "
    "each die if all show different numbers.",
    "move=faces": "For a throw the player shuts either the tile of the total, or the tiles that the dice "
    "show: all of these that are still open.",
    "move=faces-free": "For a throw the player shuts either the tile of the total, or any of the tiles that "
    "the dice show.",
    "max_tiles": "At most {most} tiles are shut in one move.",
    "max_tiles.one": "Only one tile is shut in one move.",
    "difference": "The two dice may also be subtracted, the smaller from the larger.",
    "first_move_must_include": "The first move of a turn must shut tile {tile}. A first throw that cannot "
    "do so loses the turn, which then scores {points}.",
    "ends_turn_on": "A total of {totals} ends the turn at once, even if tiles could be shut.",
    "blocked=ends-turn": "A throw for which nothing can be shut ends the turn.",
    "blocked=passes": "A throw for which nothing can be shut does nothing: the player goes on at the next "
    "throw.",
    "blocked=opens-one": "For a throw for which nothing can be shut, the player opens one shut tile and "
    "goes on.",
    "turns=whole": "Each player plays a whole turn before the next one begins.",
    "turns=alternate": "The players throw once each in rotation, and everybody has a row of tiles of their "
    "own.",
    "score=sum": "A turn scores the sum of the tiles left open.",
    "score=count": "A turn scores one point for each tile left open.",
    "score=digits": "A turn scores the open tiles read as one number from left to right: 1, 4 and 7 are 147.",
    "score=digits-reversed": "A turn scores the open tiles read as one number from right to left: 2, 3 and "
    "9 are 932.",
    "score=shut-sum": "A turn scores the sum of the tiles that the player has shut.",
    "score=throws": "A turn scores the number of throws that it took.",
    "win=lowest": "The lowest score wins.",
    "win=highest": "The highest score wins.",
    "win=first-to-shut": "The first to shut the box wins; if nobody does, the lowest score.",
    "win=first-to-shut.sure": "The first to shut the box wins.",
    "shut_wins=match": "Whoever shuts the box wins the match at once.",
    "shut_wins=round": "Whoever shuts the box ends the round at once; the others score their tiles as they "
    "stand.",
    "shut_wins=round.only": "Whoever shuts the box wins at once.",
    "shut_wins=no": "A shut box ends only the player's turn: the round is played to its end.",
    "rounds": "A match has {rounds} rounds, unless the players agree on another number. Their scores are "
    "added up.",
    "rounds.one": "A match is one round, one turn for every player.",
    "match=target-loses": "Scores are added up round after round. The match ends with the turn in which "
    "somebody reaches {limit} points, or another limit that the players have agreed on: that player has "
    "lost, and the lowest total of the others wins.",
    "match=target-wins": "Scores are added up round after round. When somebody has {limit} points, or as "
    "many as the players have agreed on, at the end of a round, the match is over and the highest total "
    "wins.",
    "match=drop-out": "Scores are added up round after round. A player who has {limit} points, or as many "
    "as the players have agreed on, at the end of a round is out, and the last one left wins. If the last "
    "ones go out together, the lowest of their totals wins.",
    "tie=play-off": "Players tied for the win play another round among themselves.",
    "tie=replay-all": "If players tie for the win, everybody starts over with another round.",
    "tie=share": "Players tied for the win share it.",
    "stakes=none": "Nothing is staked.",
    "stakes=pool": "Everybody pays one stake into the pool, and the winner takes it.",
    "stakes=pool-double": "Everybody pays one stake into the pool, and the winner takes it; a winner who "
    "has shut the box gets a second stake from each of the others.",
    "stakes=loser-pays": "The loser, with the worst score, buys the round.",
    "captain": "Who wins by shutting the box in the very first turn of the match is Captain.",
    "move=set.dominoes": "For a domino the player shuts any set of open tiles that adds up to its total.",
    "move=single.dominoes": "For a domino the player shuts exactly one open tile: the total, or what one of "
    "its ends shows.",
    "move=exact.dominoes": "The whole domino must be used: the player shuts the tile of the total, or one "
    "tile for each end if they show different numbers.",
    "move=faces.dominoes": "For a domino the player shuts either the tile of the total, or the tiles that "
    "its ends show: all of these that are still open.",
    "move=faces-free.dominoes": "For a domino the player shuts either the tile of the total, or one or both "
    "of the tiles that its ends show.",
    "max_tiles.dominoes": "At most {most} tiles are shut for one domino.",
    "max_tiles.one.dominoes": "Only one tile is shut for one domino.",
    "difference.dominoes": "The two ends may also be subtracted, the smaller from the larger.",
    "first_move_must_include.dominoes": "The first move of a turn must shut tile {tile}. A first domino "
    "that cannot do so loses the turn, which then scores {points}.",
    "blocked=ends-turn.dominoes": "A domino for which nothing can be shut ends the turn.",
    "blocked=passes.dominoes": "A domino for which nothing can be shut does nothing: the player goes on at "
    "the next domino.",
    "blocked=opens-one.dominoes": "For a domino for which nothing can be shut, the player opens one shut "
    "tile and goes on.",
    "turns=alternate.dominoes": "The players draw one domino each in rotation, and everybody has a row of "
    "tiles of their own.",
    "score=throws.dominoes": "A turn scores the number of dominoes that it took.",
}

FRENCH: dict[str, str] = {
    "tiles": "La boîte a {count} clapets, {tiles}.",
    "tiles.one": "La boîte a un seul clapet, le {tiles}.",
    "boxes": "On joue avec les mêmes règles sur des boîtes à {boxes} clapets.",
    "start_open.all": "Au début du tour, tous les clapets sont ouverts.",
    "start_open": "Au début du tour, seuls les clapets {tiles} sont ouverts, les autres sont fermés et le "
    "restent.",
    "start_open.one": "Au début du tour, seul le clapet {tiles} est ouvert, les autres sont fermés et le "
    "restent.",
    "dice": "On lance {dice} dés à {sides} faces.",
    "dice.one": "On lance un seul dé à {sides} faces.",
    "draw=dominoes": "On joue sans dés, en tirant un domino d'un sac de 21, de 1-1 à 6-6. Un domino tiré "
    "reste dehors, et le sac est de nouveau plein à chaque tour, ou dès qu'il est vide.",
    "one_die=never": "On lance toujours les {dice} dés.",
    "one_die=never.two": "On lance toujours les deux dés.",
    "one_die=optional-high": "Quand aucun clapet au-dessus de 6 n'est ouvert, on peut choisir de ne lancer "
    "qu'un dé.",
    "one_die=forced-high": "Quand aucun clapet au-dessus de 6 n'est ouvert, on ne lance plus qu'un dé.",
    "one_die=optional-sum": "Quand la somme des clapets ouverts ne dépasse pas 6, on peut choisir de ne "
    "lancer qu'un dé.",
    "one_die=forced-sum": "Quand la somme des clapets ouverts ne dépasse pas 6, on ne lance plus qu'un dé.",
    "one_die=only-one": "Quand il ne reste que le 1 d'ouvert, on ne lance plus qu'un dé.",
    "move=set": "À chaque lancer, on ferme au choix des clapets ouverts dont la somme fait exactement le "
    "total.",
    "move=single": "À chaque lancer, on ferme un seul clapet, celui du total ou celui d'un des dés.",
    "move=exact": "Il faut jouer tout le lancer, en fermant soit le clapet du total, soit un clapet par dé "
    "si tous les dés sont différents.",
    "move=faces": "À chaque lancer, on ferme soit le clapet du total, soit ceux que montrent les dés, et "
    "alors tous ceux d'entre eux qui sont encore ouverts.",
    "move=faces-free": "À chaque lancer, on ferme soit le clapet du total, soit un ou plusieurs de ceux que "
    "montrent les dés.",
    "max_tiles": "On ferme {most} clapets au plus par lancer.",
    "max_tiles.one": "On ne ferme qu'un clapet par lancer.",
    "difference": "On peut aussi soustraire le plus petit dé du plus grand.",
    "first_move_must_include": "Le premier lancer du tour doit servir à fermer le {tile}. Si c'est "
    "impossible, le tour est perdu et compte {points}.",
    "ends_turn_on": "Un total de {totals} met fin au tour, même si l'on pouvait fermer quelque chose.",
    "blocked=ends-turn": "Le tour est fini quand un lancer ne permet de fermer aucun clapet.",
    "blocked=passes": "Un lancer qui ne permet de fermer aucun clapet est perdu, et l'on continue au lancer "
    "suivant.",
    "blocked=opens-one": "Quand un lancer ne permet de fermer aucun clapet, on en rouvre un au choix et "
    "l'on continue.",
    "turns=whole": "Chacun joue son tour jusqu'au bout avant de passer la main.",
    "turns=alternate": "On lance une fois chacun, à tour de rôle, et chacun a sa propre rangée de clapets.",
    "score=sum": "On marque la somme des clapets restés ouverts.",
    "score=count": "On marque un point par clapet resté ouvert.",
    "score=digits": "On lit les clapets restés ouverts de gauche à droite comme un seul nombre, par exemple "
    "147 points s'il reste le 1, le 4 et le 7.",
    "score=digits-reversed": "On lit les clapets restés ouverts de droite à gauche comme un seul nombre, "
    "par exemple 932 points s'il reste le 2, le 3 et le 9.",
    "score=shut-sum": "On marque la somme des clapets que l'on a fermés.",
    "score=throws": "On marque le nombre de lancers du tour.",
    "win=lowest": "Le plus petit score gagne.",
    "win=highest": "Le plus grand score gagne.",
    "win=first-to-shut": "Le premier à fermer la boîte gagne, et si personne n'y arrive, le plus petit "
    "score.",
    "win=first-to-shut.sure": "Le premier à fermer la boîte gagne.",
    "shut_wins=match": "Qui ferme la boîte gagne aussitôt la partie.",
    "shut_wins=round": "Qui ferme la boîte met aussitôt fin à la manche, et les autres marquent leurs "
    "clapets tels qu'ils sont.",
    "shut_wins=round.only": "Qui ferme la boîte gagne aussitôt.",
    "shut_wins=no": "Fermer la boîte ne met fin qu'à son propre tour, et la manche se joue jusqu'au bout.",
    "rounds": "La partie se joue en {rounds} manches, sauf si les joueurs en conviennent autrement. On "
    "additionne les scores.",
    "rounds.one": "La partie se joue en une manche, un tour par joueur.",
    "match=target-loses": "Les scores s'additionnent de manche en manche. La partie prend fin avec le tour "
    "où un joueur atteint {limit} points, ou une autre limite convenue : il a perdu, et le plus petit total "
    "des autres gagne.",
    "match=target-wins": "Les scores s'additionnent de manche en manche. Dès qu'un joueur a {limit} points, "
    "ou le nombre convenu, en fin de manche, la partie est finie et le plus grand total gagne.",
    "match=drop-out": "Les scores s'additionnent de manche en manche. Qui a {limit} points, ou le nombre "
    "convenu, en fin de manche est éliminé, et le dernier en jeu gagne. Si les derniers sont éliminés "
    "ensemble, le plus petit de leurs totaux gagne.",
    "tie=play-off": "Les ex æquo en tête rejouent une manche entre eux.",
    "tie=replay-all": "S'il y a des ex æquo en tête, tout le monde recommence une manche.",
    "tie=share": "Les ex æquo en tête se partagent la victoire.",
    "stakes=none": "On joue sans mise.",
    "stakes=pool": "Chacun met une mise au pot, et le gagnant le remporte.",
    "stakes=pool-double": "Chacun met une mise au pot, et le gagnant le remporte. S'il a fermé la boîte, "
    "chacun des autres lui doit une deuxième mise.",
    "stakes=loser-pays": "Le perdant, celui qui a le plus mauvais score, paye la tournée.",
    "captain": "Qui gagne en fermant la boîte au tout premier tour de la partie devient Capitaine.",
    "move=set.dominoes": "À chaque tirage, on ferme au choix des clapets ouverts dont la somme fait "
    "exactement le total du domino.",
    "move=single.dominoes": "À chaque tirage, on ferme un seul clapet, celui du total ou celui d'un des "
    "bouts du domino.",
    "move=exact.dominoes": "Il faut jouer tout le domino, en fermant soit le clapet du total, soit un "
    "clapet par bout si les bouts sont différents.",
    "move=faces.dominoes": "À chaque tirage, on ferme soit le clapet du total, soit ceux des deux bouts, et "
    "alors tous ceux d'entre eux qui sont encore ouverts.",
    "move=faces-free.dominoes": "À chaque tirage, on ferme soit le clapet du total, soit un ou deux de ceux "
    "des bouts du domino.",
    "max_tiles.dominoes": "On ferme {most} clapets au plus par domino.",
    "max_tiles.one.dominoes": "On ne ferme qu'un clapet par domino.",
    "difference.dominoes": "On peut aussi soustraire le plus petit bout du plus grand.",
    "first_move_must_include.dominoes": "Le premier domino du tour doit servir à fermer le {tile}. Si c'est "
    "impossible, le tour est perdu et compte {points}.",
    "blocked=ends-turn.dominoes": "Le tour est fini quand un domino ne permet de fermer aucun clapet.",
    "blocked=passes.dominoes": "Un domino qui ne permet de fermer aucun clapet est perdu, et l'on continue "
    "au tirage suivant.",
    "blocked=opens-one.dominoes": "Quand un domino ne permet de fermer aucun clapet, on en rouvre un au "
    "choix et l'on continue.",
    "turns=alternate.dominoes": "On tire un domino chacun, à tour de rôle, et chacun a sa propre rangée de "
    "clapets.",
    "score=throws.dominoes": "On marque le nombre de dominos tirés pendant le tour.",
}

_TABLES = {"en": (ENGLISH, "{} to {}", " and ", " or "), "fr": (FRENCH, "de {} à {}", " et ", " ou ")}

# Lists of which only one counts at a time.
_ALTERNATIVES = ("boxes", "totals")


def explain(profile: Profile, language: str) -> tuple[str, ...]:
    """The rules of a profile, one sentence or two for each key that means something in it.

    Args:
        profile: the variant, on the box that is played.
        language: ``fr``, or anything else for English.
    """
    table, span, every, either = _TABLES["fr" if language == "fr" else "en"]

    def shown(key: str, value: _Value) -> str:
        if isinstance(value, int):
            return str(value)
        return _listed(value, span, either if key in _ALTERNATIVES else every)

    return tuple(
        table[key].format(**{name: shown(name, value) for name, value in values.items()})
        for key, values in _facts(profile)
    )


def _listed(numbers: Sequence[int], span: str, conjunction: str) -> str:
    if len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return span.format(numbers[0], numbers[-1])
    words = [str(number) for number in numbers]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + conjunction + words[-1]


def _facts(profile: Profile) -> Iterator[_Fact]:
    facts = (*_facts_of_box(profile), *_facts_of_turn(profile), *_facts_of_match(profile))
    for key, values in facts:
        drawn = f"{key}.dominoes"
        yield drawn if profile.draw is Draw.DOMINOES and drawn in ENGLISH else key, values


def _facts_of_box(profile: Profile) -> Iterator[_Fact]:
    count = len(profile.tiles)
    yield _one("tiles", count), {"count": count, "tiles": profile.tiles}
    if len(profile.allowed_boxes) > 1:
        yield "boxes", {"boxes": profile.allowed_boxes}
    if profile.starting == profile.all_tiles:
        yield "start_open.all", {}
    else:
        opened = to_numbers(profile.starting)
        yield _one("start_open", len(opened)), {"tiles": opened}


def _facts_of_turn(profile: Profile) -> Iterator[_Fact]:
    if profile.draw is Draw.DOMINOES:
        yield f"draw={profile.draw}", {}
    else:
        yield _one("dice", profile.dice), {"dice": profile.dice, "sides": profile.sides}
        if profile.dice > 1:
            yield from _facts_of_one_die(profile)
    yield f"move={profile.move}", {}
    if profile.difference:
        yield "difference", {}
    if profile.max_tiles is not None:
        yield _one("max_tiles", profile.max_tiles), {"most": profile.max_tiles}
    if profile.first_move_must_include is not None:
        values: dict[str, _Value] = {"tile": profile.first_move_must_include, "points": lost_score(profile)}
        yield "first_move_must_include", values
    if profile.ends_turn_on:
        yield "ends_turn_on", {"totals": tuple(sorted(profile.ends_turn_on))}
    yield f"blocked={profile.blocked}", {}
    yield f"turns={profile.turns}", {}
    if not _is_race(profile):
        yield f"score={profile.score}", {}


def _facts_of_one_die(profile: Profile) -> Iterator[_Fact]:
    # No tile of a turn may ever be low enough for one die to be thrown.
    tiles = to_numbers(profile.starting)
    ever = 1 in tiles if profile.one_die is OneDie.ONLY_ONE else tiles[0] <= HIGH
    if profile.one_die is not OneDie.NEVER and ever:
        yield f"one_die={profile.one_die}", {}
    else:
        yield "one_die=never" + (".two" if profile.dice == 2 else ""), {"dice": profile.dice}


def _facts_of_match(profile: Profile) -> Iterator[_Fact]:
    on_total = profile.match is MatchFormat.TOTAL
    if on_total and not _is_race(profile):
        yield _one("rounds", profile.rounds), {"rounds": profile.rounds}
    elif not on_total:
        yield f"match={profile.match}", {"limit": profile.limit or 0}
    if on_total and not _is_race(profile):
        yield f"win={profile.win}", {}
    elif on_total:
        yield "win=first-to-shut.sure", {}
    only = ".only" if profile.shut_wins is ShutWins.ROUND and on_total and profile.rounds == 1 else ""
    if profile.win is not Win.FIRST_TO_SHUT:
        yield f"shut_wins={profile.shut_wins}{only}", {}
    if not _is_race(profile):
        yield f"tie={profile.tie}", {}
    yield f"stakes={profile.stakes}", {}
    if profile.captain:
        yield "captain", {}


def _is_race(profile: Profile) -> bool:
    """Whether somebody always shuts the box and so wins: scores and ties never come to count."""
    return profile.win is Win.FIRST_TO_SHUT and profile.only_shut_ends


def _one(key: str, count: int) -> str:
    return f"{key}.one" if count == 1 else key
