"""The reference: configuration, games, commands and formats, as one page in Markdown."""

import inspect
from collections.abc import Iterator

from doctools import commands, config_files
from shutthebox.config.profiles import builtins
from shutthebox.config.schema import SECTIONS
from shutthebox.rules import record
from shutthebox.simulator.scenario.expectations import EXPECTATIONS
from shutthebox.simulator.scenario.script import VERBS
from shutthebox.translations import finished_codes, translations


def page() -> str:
    """The whole page."""
    parts = ["# Reference", "", _INTRODUCTION, *_config(), *_games(), *_commands(), *_formats()]
    return "\n".join(parts).rstrip() + "\n"


_INTRODUCTION = """This page is made from the code by `make generated`, so it is as the program is.

* [Configuration](#configuration): every key of `config.toml`
* [Games](#games): every game that the box knows; the keys of a game are in [house-rules.md](house-rules.md#all-keys)
* [Commands](#commands): every command with its options and an example
* [Formats](#formats): scenarios, records, JSON
"""


def _config() -> Iterator[str]:
    yield from (
        "## Configuration",
        "",
        "The box reads `/etc/shutthebox/config.toml`. Leave out what should stay as it is. After a change:",
        "",
        "```sh",
        "shutthebox check-config",
        "sudo systemctl restart shutthebox",
        "```",
        "",
        "An editor that knows TOML schemas (taplo, *Even Better TOML*) completes and checks the keys, because the first",
        "line of the file names the schema. `man shutthebox-config` has this list too.",
        "",
    )
    for section in SECTIONS:
        yield from (f"### [{section}]", "", *config_files.table(section), "")


def _games() -> Iterator[str]:
    languages = {code: translations()[code] for code in finished_codes()}
    yield from (
        "## Games",
        "",
        "Any of these ids can stand for `game.profile`; `shutthebox profiles ID` has the rules in words.",
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
        "Every command ends with 0 if all is well, with 1 for a fault while running, and with 2 for wrong use or a bad",
        "file, which is named in one line with what is allowed. With `--json`, JSON is on standard output and nothing",
        "else. `--help` shows what stands here. Bash, zsh and fish complete commands, options, games and files.",
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
        "`shutthebox replay` plays them, `--record` writes them. A line is one thing; `#` begins a comment. Before it may",
        "stand when it happens: `@1.5` in seconds since the start, or `+0.2` after the line before; otherwise it is 0.5 s.",
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
    yield from ("### Records", "", *_record(), "")
    yield from _JSON


_EXPECTED = {
    "mode": (
        "MODE",
        "what the box is doing: attract, menu, setup, raise, ready, rolling, flipping, turn-over ...",
    ),
    "player": ("P", "whose turn it is, from 1"),
    "open": ("N …", "the tiles that the game holds open"),
    "verdict": (
        "VERDICT",
        "on the levers: ok, complete, missing N, over N, dead-end, put-back N …, lift N …",
    ),
    "score": ("P N", "of player P in the last finished turn"),
    "total": ("P N", "of player P in the match so far"),
    "owes": ("P N", "stakes that player P owes; negative: gets"),
    "winner": ("P …", "who has won"),
    "throw": ("N …", "the throw on the table"),
    "text": ('"TEXT"', "the screen says so, in upper or lower case"),
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


_JSON = """### JSON

`shutthebox odds --json` prints one object; a key that does not apply is null.

| key | value |
|---|---|
| `profile` | the game's id |
| `open` | the tiles that are open |
| `objective` | `score` or `shut` |
| `expected_score`, `probability_shut` | under the best play for the objective; the score of a race is its throws |
| `one_die` | whether one die is best; null where that is no choice |
| `moves` | with a throw: every legal move with its `tiles`, `expected_score` and `probability_shut`, the best first |
| `distribution` | the chance of each final score |

An estimate also has `estimate` (true), `standard_error`, `standard_error_shut` and `samples`.

`shutthebox odds --players N --json` prints one object. [odds.md](odds.md) says how it is worked out.

| key | value |
|---|---|
| `profile`, `players` | the game's id, and how many play |
| `win` | each seat's chance to win, 0 to 1 |
| `stakes` | the stakes that each seat can expect to get (negative: to pay), when all play for them; null where that is not known |
| `one_round` | true where a match has several rounds: the figures are those of one alone |
| `seat`, `best`, `aim`, `scores` | with `--seat` and `--best`: the worst score that makes the seat's chance better, and its chance with each score |

`shutthebox review --json` prints one object. Players and rounds are numbered from 1, chances are 0 to 1.

| key | value |
|---|---|
| `profile` | the game's id |
| `players` | for each `player`: `accuracy` in per cent (null for a player who has not thrown); `win` (null where it is not known) and `points`, each with `initial`, `final`, `luck` and `skill` |
| `exact` | whether the chances to win are exact; before the last of several rounds they are an approximation |
| `turning_point` | the throw or decision that changed most: `player`, `round`, `throw`, `kind` (`dice` or `decision`), `change` |
| `decisions` | every choice: `player`, `round`, `open`, `throw`, `chosen`, `best`, `cost_win`, `cost_points`; with `throw` null the choice is the number of dice |

`shutthebox replay --json` prints an object a line for every effect. `t` is in seconds, `kind` is one of:

| kind | further keys |
|---|---|
| `show` | `mode`, `player` (from 1), `open`, `throw`, `verdict`, `scores`, `totals`, `owes`, `winners`, `text`, `asleep` |
| `sound` | `name` |
| `record` | `fact`, which was kept |

`shutthebox export` prints an object a line for every row that is kept; `table` names its table, and
[store.md](store.md) says what is in them.
""".splitlines()
