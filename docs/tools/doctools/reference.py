"""The reference: configuration, games, commands and formats, as one page in Markdown."""

import inspect
from collections.abc import Iterator

from doctools import commands, config_files
from shutthebox.config.profiles import builtins
from shutthebox.config.schema import SECTIONS
from shutthebox.rules import record
from shutthebox.rules.conditions import WORDS
from shutthebox.rules.linked_boxes import BOX_WORDS
from shutthebox.simulator.scenario.expectations import EXPECTATIONS
from shutthebox.simulator.scenario.script import VERBS
from shutthebox.translations import finished_codes, translations


def page() -> str:
    """The whole page."""
    parts = ["# Reference", "", _INTRODUCTION, *_config(), *_games(), *_commands(), *_formats()]
    return "\n".join(parts).rstrip() + "\n"


_INTRODUCTION = """`make generated` writes this page from the code, so it always matches the program.

* [Configuration](#configuration): every setting of `config.toml`, or `shutthebox.toml` on the card
* [Games](#games): every built-in game; [House rules](house-rules.md#all-keys) has the keys to write your own
* [Commands](#commands): every command with its options and an example
* [Formats](#formats): scenarios, records, JSON
"""


def _config() -> Iterator[str]:
    yield from (
        "## Configuration",
        "",
        "The package reads `/etc/shutthebox/config.toml`, the card `shutthebox.toml`. Leave out any key to keep its default.",
        "After a change on a Pi with the package:",
        "",
        "```sh",
        "shutthebox check-config",
        "sudo systemctl restart shutthebox",
        "```",
        "",
        "Editors with support for TOML schemas (taplo, *Even Better TOML*) complete and check the keys: the first line of the",
        "file names the schema. `man shutthebox-config` has the same list.",
        "",
    )
    for section in SECTIONS:
        yield from (f"### [{section}]", "", *config_files.table(section), "")


def _games() -> Iterator[str]:
    languages = {code: translations()[code] for code in finished_codes()}
    yield from (
        "## Games",
        "",
        "Use any of these ids for `game.profile`. `shutthebox profiles ID` prints a game's rules in words.",
        "",
        f"| id | {' | '.join(languages)} | tiles |",
        f"|---{'|---' * len(languages)}|---|",
    )
    for profile in builtins():
        titles = [profile.title(code, translate) for code, translate in languages.items()]
        tiles = ", ".join(map(str, profile.allowed_boxes))
        yield f"| `{profile.name}` | {' | '.join(titles)} | {tiles} |"
    yield ""


def _commands() -> Iterator[str]:
    yield from (
        "## Commands",
        "",
        "Every command exits with 0 for success, 1 for a fault while running, and 2 for wrong use or a bad file, with one",
        "line that says what's wrong and what's allowed. With `--json`, it prints JSON and nothing else. `--help` shows",
        "the same text as here. Bash, zsh and fish complete commands, options, games and files.",
        "",
        "`stats`, `export`, `backup`, `restore` and `scoreboard` use this machine's box. For the simulated one, add",
        "`--state ~/.local/state/shutthebox/simulator`.",
        "",
        commands.markdown(),
        "",
    )


def _formats() -> Iterator[str]:
    yield from (
        "## Formats",
        "",
        "### Scenarios",
        "",
        "`shutthebox replay` plays them, `--record` writes them. Each line is one event or expectation; `#` starts a comment.",
        "A line may start with its time: `@1.5` is 1.5 s after the start, `+0.2` is 0.2 s after the line before. Without a",
        "time, it's 0.5 s after the line before.",
        "",
        "A line that starts with `box 2:` is for a second box, linked with the first in the same virtual time:",
        "`box 2: config box.language fr`, `box 2: +1 press`, `box 2: expect mode ready`. The room and the code that",
        "pair the two follow from the seed, and so do all throws of their match, so `dice` can't set them. After",
        "`link cut`, nothing gets through; the link can also `lose` a share of the messages, `double` them, or deliver",
        "each up to 30 s `late`. `link up` restores it.",
        "",
        '`make duel ARGS="--record evening.scn"` records two boxes. A recording of one box ends where a match with another',
        "begins.",
        "",
        "| line | meaning |",
        "|---|---|",
    )
    for verb in VERBS.values():
        if verb.word != "expect":
            yield _row(inspect.getdoc(verb) or "")
    for word in EXPECTATIONS:
        usage, meaning = _EXPECTED[word]
        yield f"| `expect {word} {usage}` | {meaning} |"
    yield ""
    yield from ("### Records", "", *_record(), "", *_conditions(), "")
    yield from _JSON


_EXPECTED = {
    "mode": (
        "MODE",
        "what the box is doing: attract, menu, setup, raise, ready, rolling, flipping, turn-over ...",
    ),
    "player": ("P", "whose turn it is, from 1"),
    "open": ("N …", "the tiles that are open in the game"),
    "verdict": (
        "VERDICT",
        "what the box says of the levers: ok, complete, missing N, over N, dead-end, put-back N …, lift N …",
    ),
    "score": ("P N", "player P's score in the last finished turn"),
    "total": ("P N", "player P's total in the match so far"),
    "owes": ("P N", "stakes that player P owes; negative: gets"),
    "winner": ("P …", "who has won"),
    "throw": ("N …", "the throw on the table"),
    "text": ('"TEXT"', "the screen shows this text, in upper or lower case"),
    "panel": ("NAME", "the panel looks like the picture NAME.png beside the script"),
}
"""The arguments of each word, and their meaning. A failed expectation ends the replay with 1."""


def _row(docstring: str) -> str:
    """A line of the table from ``usage``: meaning."""
    usage, _, meaning = docstring.split("\n\n")[0].replace("\n", " ").removeprefix("``").partition("``: ")
    escaped = usage.replace("|", "\\|")
    return f"| `{escaped}` | {meaning.rstrip('.')} |"


def _record() -> Iterator[str]:
    """The description of records, from the module that writes them."""
    yield from (
        (inspect.getdoc(record) or "")
        .split("\n\n", 1)[1]
        .replace("::\n", ":\n")
        .replace("``", "`")
        .splitlines()
    )


_CONDITIONS = {
    "dice": ("`dice real`, `dice box`", "who threw: the players with their own dice, or the box"),
    "linked": (
        "`linked 5e1c… 09ab… 77d0… c2f4…`",
        "two linked boxes: the commitments of both, and the last link that each revealed; 64 digits each",
    ),
    "first": ("`first 2`", "the player who began; without the line, player 1"),
    "computers": ("`computers 2`", "seats the computer played"),
    "out-of-play": ("`out-of-play 4 7`", "levers out of play; their tiles started every turn shut"),
    "version": (
        "`version 1.0.0 rules 4`",
        "the version of the box and of its rules; several, if the box was updated during the match",
    ),
    "lost": ("`lost 5`", "this many facts of the match were lost to damage"),
}
"""What each word of `shutthebox.rules.conditions.WORDS` says of a match."""

_BOXES = {
    "session": (
        "`session 5e… 600`",
        "their meeting, or its rematch, and the seconds within which a box must reveal its link",
    ),
    "box": ("`box 1 The Anchor`", "what the box of this seat calls itself"),
    "key": ("`key 1 3b…`", "its public key; left out if it has none"),
    "signature": ("`signature 1 c4…`", "its signature of the finished match; left out if it's missing"),
    "left": (
        "`left 2 with a throw on the table`",
        "this seat's box left before the match was decided; not signed",
    ),
}
"""What each word of `shutthebox.rules.linked_boxes.BOX_WORDS` says of a match."""


def _conditions() -> Iterator[str]:
    yield from (
        "Throws and moves are checked against the rules. How a match was played can't be checked, so the record states it:",
        "",
        "| line | meaning |",
        "|---|---|",
    )
    for word in WORDS:
        line, meaning = _CONDITIONS[word]
        yield f"| {line} | {meaning} |"
    yield from (
        "",
        "If conditions changed while the box was off, the record has both. A record written by hand may have",
        "none of these lines; `replay` then says that nothing is known.",
        "",
        "In a match on two linked boxes, each throw follows from a link of each box, and from its number in the match, its",
        "seat and how many dice it has. The SHA-256 of a link's 32 bytes is the link before it; the one before the first",
        "is the commitment, which both boxes revealed before the match. So neither could choose a throw, and `shutthebox verify`",
        "checks every throw from the record alone.",
        "",
        "The record of such a match also says, after that, what both boxes have signed ([how](link.md#check-a-match-by-hand)):",
        "",
        "| line | meaning |",
        "|---|---|",
    )
    for word in BOX_WORDS:
        line, meaning = _BOXES[word]
        yield f"| {line} | {meaning} |"


_JSON = """### JSON

`shutthebox odds --json` prints one object. Keys that don't apply are null.

| key | value |
|---|---|
| `profile` | the game's id |
| `open` | the tiles that are open |
| `objective` | `score` or `shut` |
| `expected_score`, `probability_shut` | with the best play for the objective; a race scores its throws |
| `one_die` | whether one die is best; null if there's no choice |
| `moves` | with a throw: every legal move with its `tiles`, `expected_score` and `probability_shut`, best first |
| `distribution` | the chance of each final score |

An estimate also has `estimate` (true), `standard_error`, `standard_error_shut` and `samples`. If turns last so long that only the
limit of throws ends them, there's `last_throw`: from that throw on, one without a move ends the turn.

`shutthebox odds --players N --json` prints one object. [Odds](odds.md#a-round-of-several-players) explains the method.

| key | value |
|---|---|
| `profile`, `players` | the game's id, and how many play |
| `win` | each seat's chance to win, 0 to 1 |
| `stakes` | the stakes each seat can expect to win (negative: to pay) when everybody plays for them; null if unknown |
| `one_round` | true if the match has several rounds: the figures are for a single one |
| `seat`, `best`, `aim`, `scores` | with `--seat` and `--best`: the worst score that improves the seat's chance, and its chance with each score |

`shutthebox review --json` prints one object. Players and rounds count from 1; chances are 0 to 1.

| key | value |
|---|---|
| `profile` | the game's id |
| `players` | for each `player`: `accuracy` in per cent (null for a player who hasn't thrown); `win` (null if unknown) and `points`, each with `initial`, `final`, `luck` and `skill`; `scored` is false if the last turn has no score, so that `final` is what it was worth |
| `exact` | whether the chances to win are exact; before the last of several rounds they're approximate |
| `turning_point` | the throw or decision that changed the match most: `player`, `round`, `throw`, `kind` (`dice` or `decision`), `change` |
| `decisions` | every choice: `player`, `round`, `open`, `throw`, `chosen`, `best`, `cost_win`, `cost_points`; if `throw` is null, the choice was how many dice to throw, which nobody knows of real dice that only show a total |

`shutthebox replay --json` prints one object per line for every effect. `t` is in seconds, `box` is 2 for the second box, `kind` is one of:

| kind | more keys |
|---|---|
| `show` | `mode`, `player` (from 1), `open`, `throw`, `verdict`, `scores`, `totals`, `owes`, `winners`, `names`, `text`, `asleep` |
| `sound` | `name` |
| `record` | `fact`, as it was kept |

`shutthebox export` prints one object per line for every row in [the memory](store.md); `table` names its table.
""".splitlines()
