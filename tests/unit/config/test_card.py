"""The files that an owner writes on the card."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from tests.support.card_files import CERTIFICATE, KEY, TOURNAMENT, any_box
from tests.support.league import enrolled

from shutthebox import validation
from shutthebox.config.card import (
    CONFIG_NAME,
    HOME_ASSISTANT_NAME,
    KEY_NAME,
    LEAGUE_NAME,
    NAMES,
    Card,
    examine_keys,
    read_card,
)
from shutthebox.config.networks import NETWORK_NAME, Network, examine_network
from shutthebox.config.schema import (
    BROKER_FILE,
    SECTIONS,
    TOURNAMENT_FILE,
    default_text,
)
from shutthebox.config.settings_loader import try_config
from shutthebox.validation import MAX_MISTAKES


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("", Network()),
        ("cable = true", Network(cable=True)),
        ('wifi = "Café"\npassword = "12345678"\ncountry = "fr"', Network("Café", "12345678", "FR")),
        ('wifi = "open"\ncountry = "BE"', Network("open", "", "BE")),
        (
            f"wifi = '{'é' * 16}'\ncountry = 'be'\npassword = '{' ~' * 31} '\ncable = true",
            Network("é" * 16, " ~" * 31 + " ", "BE", cable=True),
        ),
        ("cable = true\nname = 'The-Anchor-2'", Network(cable=True, name="the-anchor-2")),
        ('timezone = "Europe/Paris"', Network(timezone="Europe/Paris")),
    ],
)
def test_a_network(text: str, network: Network) -> None:
    assert examine_network(text, "network.toml") == (network, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wifi", "not valid TOML"),
        ("wlan = 'x'", "wlan: unknown key; use one of wifi, password, country, cable, name, timezone"),
        ("name = 'the anchor'", "name: 'the anchor' is not allowed; use 1 to 32 letters"),
        (f"wifi = '{'é' * 17}'", "a name of 1 to 32 bytes"),
        ("wifi = 'x'\ncountry = 'Belgium'", "two letters"),
        ("wifi = 'x'\ncountry = 'BE'\npassword = 'secret7'", "8 to 63 characters"),
        ("password = 'long enough'\ncountry = 'BE'", "wifi: is missing"),
        ("cable = 'yes'", "true or false"),
        ("timezone = 'Europe/Pari'", "such as \"Europe/Paris\"; did you mean 'Europe/Paris'?"),
        ("timezone = 'europe/berlin'", "such as \"Europe/Paris\"; did you mean 'Europe/Berlin'?"),
        ("timezone = 'Berlin'", "such as \"Europe/Paris\"; did you mean 'Europe/Berlin'?"),
        ("timezone = '../../etc/shadow'", "the name of a time zone"),
    ],
)
def test_a_mistake_in_a_network(text: str, said: str) -> None:
    _, (mistake,) = examine_network(text, "network.toml")
    assert mistake.startswith("network.toml: ")
    assert said in mistake
    assert "\n" not in mistake
    assert "secret7" not in mistake, "everybody in the pub can read the display"


@pytest.mark.parametrize(
    "kind",
    ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp521", "sk-ssh-ed25519@openssh.com"],
)
def test_every_kind_of_key(kind: str) -> None:
    """A key repeats its kind, with the kind's length, before at least 33 bytes of its own."""
    head = len(kind).to_bytes(4, "big") + kind.encode()
    key = f"{kind} {b64encode(head + bytes(29)).decode()} landlord@pub"
    assert examine_keys(key, "ssh-key.txt") == ((key,), ())
    for wrong in (head + bytes(28), b"\1" + head[1:] + bytes(29), bytes(99)):
        _, (mistake,) = examine_keys(f"{kind} {b64encode(wrong).decode()}", "ssh-key.txt")
        assert mistake.startswith("ssh-key.txt: line 1: no public key; ")


def test_keys() -> None:
    assert examine_keys(f"# mine\n\n  {KEY}  \n", "ssh-key.txt") == ((KEY,), ())
    assert examine_keys("", "ssh-key.txt") == ((), ())
    other = KEY.replace("landlord@pub", "")
    assert examine_keys(f"{KEY}\n# {KEY}\n\n{other}\n", "ssh-key.txt") == ((KEY, other.strip()), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "line 1: a private key"),
        (f"{KEY}\nssh-ed25519 AAAA\n", "line 2: no public key"),
        (f"# mine\n\n{KEY}\n  {KEY[12:]}", "line 4: no public key"),
        ("command=evil " + KEY, "line 1: no public key"),
    ],
)
def test_a_mistake_in_a_key(text: str, said: str) -> None:
    _, (mistake,) = examine_keys(text, "ssh-key.txt")
    assert said in mistake


def test_the_key_of_a_broker_is_refused(tmp_path: Path) -> None:
    """It was made with the certificate, and lies beside it."""
    (tmp_path / BROKER_FILE).write_text(f"-----BEGIN PRIVATE KEY-----\n{CERTIFICATE}")
    (mistake,) = read_card(tmp_path, any_box).mistakes
    assert mistake == "broker.pem: a private key, to be kept secret; use the certificate"


def test_a_certificate_may_have_comments_in_any_letters_and_must_be_one(tmp_path: Path) -> None:
    (tmp_path / BROKER_FILE).write_text(f"Für die Kneipe:\n{CERTIFICATE}", "utf-8")
    assert read_card(tmp_path, any_box).mistakes == ()
    (tmp_path / BROKER_FILE).write_text("Für die Kneipe:\n", "utf-8")
    (mistake,) = read_card(tmp_path, any_box).mistakes
    assert mistake.startswith("broker.pem: no certificate; use one")


@pytest.mark.parametrize("wrong", [*NAMES, "rules/friday.toml"])
def test_every_mistake_in_every_file_is_said_and_the_others_are_no_mistakes(
    wrong: str, tmp_path: Path
) -> None:
    good = {
        CONFIG_NAME: "[game]\nplayers = 3\n",
        NETWORK_NAME: "cable = true\n",
        KEY_NAME: f"{KEY}\n",
        LEAGUE_NAME: "# none\n",
        HOME_ASSISTANT_NAME: '[home_assistant]\nhost = "ha.lan"\n',
        BROKER_FILE: CERTIFICATE,
        TOURNAMENT_FILE: TOURNAMENT,
        "rules/friday.toml": 'like = "golf"\n',
    }
    (tmp_path / "rules").mkdir()
    for name, text in good.items():
        (tmp_path / name).write_text(text)
    assert read_card(tmp_path, any_box) == Card(good, Network(cable=True), (KEY,))
    (tmp_path / wrong).write_text("nonsense")
    mistakes = read_card(tmp_path, any_box).mistakes
    assert {mistake.partition(":")[0] for mistake in mistakes} == {wrong}


def test_house_rules_are_checked_with_the_configuration_that_names_them(tmp_path: Path) -> None:
    """As the box does: the usual game is one of the files, and what is hidden is no game."""
    (tmp_path / CONFIG_NAME).write_text('[game]\nplayers = 2\nprofile = "friday"\n')
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/._friday.toml").write_bytes(b"\0\5\x16\7")
    (mistake,) = read_card(tmp_path, try_config).mistakes
    assert mistake.startswith("shutthebox.toml: line 3: game.profile: ")
    friday = tmp_path / "rules/friday.toml"
    friday.write_text('like = "pub"\nrounds = 3\n')
    card = read_card(tmp_path, try_config)
    assert (card.mistakes, set(card.texts)) == ((), {CONFIG_NAME, "rules/friday.toml"})
    friday.write_text('like = "pub"\n# best of\nrounds = 0\n')
    (tmp_path / "rules/sunday.toml.txt").touch()
    said = [mistake.partition("; ")[0] for mistake in read_card(tmp_path, any_box).mistakes]
    assert said == [
        "rules/sunday.toml.txt: is not read",
        "rules/friday.toml: line 3: rounds: 0 is not allowed",
    ]


def test_a_stick_may_name_house_rules_that_the_box_has(tmp_path: Path) -> None:
    stick, installed = tmp_path / "stick", tmp_path / "installed"
    (installed / "rules").mkdir(parents=True)
    (installed / "rules/friday.toml").write_text('like = "pub"\n')
    stick.mkdir()
    (stick / CONFIG_NAME).write_text('[game]\nprofile = "friday"\n')
    assert read_card(stick, try_config).mistakes
    assert read_card(stick, try_config, installed).mistakes == ()


def test_a_folder_of_too_many_rules_is_one_mistake(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    for number in range(101):
        (tmp_path / f"rules/{number}.toml").touch()
    assert read_card(tmp_path, any_box).mistakes == ("rules: 101 files; use at most 100",)


def test_all_mistakes_are_said_at_once_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_text(
        "[game]\nplayers = 33\n\n[scoreboard]\non = 1 # yes\n[scorboard]\nx = 1\n[gpio]\nroll = 4\n"
    )
    (tmp_path / NETWORK_NAME).write_text("# ours\nwlan = 'x'\ncable = 'yes'\n")
    (tmp_path / KEY_NAME).write_text("?\n\n?\n")
    (tmp_path / LEAGUE_NAME).write_text("[league]\nurl = 0\nhast = 'x'\n")
    (tmp_path / HOME_ASSISTANT_NAME).write_text("[home_assistant]\npassword = 271828\n")
    mistakes = read_card(tmp_path, any_box).mistakes
    assert [mistake.partition("; ")[0] for mistake in mistakes] == [
        "shutthebox.toml: line 2: game.players: 33 is not allowed",
        "shutthebox.toml: line 5: scoreboard.on: 1 is not allowed",
        "shutthebox.toml: line 7: scorboard.x: unknown section",
        "shutthebox.toml: line 9: gpio.roll: line 4 is taken by gpio.levers[0]",
        "network.toml: line 2: wlan: unknown key",
        "network.toml: line 3: cable: 'yes' is not allowed",
        "ssh-key.txt: line 1: no public key",
        "ssh-key.txt: line 3: no public key",
        "league.toml: line 2: league.url: not allowed",
        "league.toml: line 3: league.hast: unknown key",
        *(f"league.toml: league.{key}: missing" for key in ENROLLED if key != "url"),
        "home-assistant.toml: line 2: home_assistant.password: not allowed",
    ]


ENROLLED = ("url", "name", "key", "league_key")

TWO_MISTAKES = {
    "words without quotes": (
        CONFIG_NAME,
        "[game]\nprofile = pub\n[box]\nlanguage = fr\n",
        ["Invalid value (at line 2, column 11)", "Invalid value (at line 4, column 12)"],
    ),
    "one that is no TOML, one that is not allowed": (
        CONFIG_NAME,
        "[game]\nprofile = pub\n[box]\nsound = 3\n",
        ["Invalid value (at line 2, column 11)", "line 4: box.sound: 3 is not allowed"],
    ),
    "one given twice": (
        CONFIG_NAME,
        "[game]\nplayers = 2\nplayers = 3\nrounds = 0\n",
        ["Cannot overwrite a value (at line 3, column 12)", "line 4: game.rounds: 0 is not allowed"],
    ),
    "one that spoils the rest": (
        CONFIG_NAME,
        "[gpio]\nlevers = [4, 17\nroll = 99\n",
        ["Unclosed array (at line 3, column 1)"],
    ),
    "lines with two uses": (
        CONFIG_NAME,
        "[gpio]\nroll = 4\nbuzzer = 17\n",
        [
            "line 2: gpio.roll: line 4 is taken by gpio.levers[0]",
            "line 3: gpio.buzzer: line 17 is taken by gpio.levers[1]",
        ],
    ),
    "what does not fit the box": (
        CONFIG_NAME,
        '[game]\nprofile = "chess"\n[box]\nlevers = 12\nout_of_play = [13]\n[gpio]\nlevers = [4, 17]\n',
        [
            "line 4: box.levers: 12 levers, but gpio.levers names 2 lines",
            "line 2: game.profile: profile: 'chess' is not known",
            "line 5: box.out_of_play: lever 13 is not on this box",
        ],
    ),
    "what is not allowed, and what does not fit": (
        CONFIG_NAME,
        '[game]\nprofile = "chess"\nplayers = 22\n',
        ["line 3: game.players: 22 is not allowed", "line 2: game.profile: profile: 'chess' is not known"],
    ),
    "house rules": (
        "rules/friday.toml",
        'like = "chess"\ntiles = 99\nside = 6\nsides = 1\n',
        [
            "line 1: like: 'chess' is not a built-in profile",
            "line 2: tiles: 99 is not allowed",
            "line 3: side: unknown key",
            "line 4: sides: 1 is not allowed",
        ],
    ),
    "a network": (
        NETWORK_NAME,
        "wifi = Pub\npassword = last orders\n",
        ["Invalid value (at line 1, column 8)", "Invalid value (at line 2, column 12)"],
    ),
    "a tournament": (
        TOURNAMENT_FILE,
        "shut-the-box tournament 2\ntitle x\nseed 0\n",
        ["line 1: not a tournament", "line 2: 'title x' is not allowed", "line 3: not allowed"],
    ),
    "home assistant": (
        HOME_ASSISTANT_NAME,
        "[home_assistant]\nhost = x\nport = y\n",
        ["Invalid value (at line 2, column 8)", "Invalid value (at line 3, column 8)"],
    ),
}
"""A file with its mistakes."""


@pytest.mark.parametrize(("name", "text", "said"), TWO_MISTAKES.values(), ids=TWO_MISTAKES)
def test_each_mistake_of_a_file_is_said(name: str, text: str, said: list[str], tmp_path: Path) -> None:
    """Who puts one right and comes back with the stick does not want to hear of another."""
    (tmp_path / "rules").mkdir()
    (tmp_path / name).write_text(text)
    mistakes = read_card(tmp_path, try_config).mistakes
    heads = [mistake.replace("not valid TOML: ", "").partition("; ")[0] for mistake in mistakes]
    assert heads == [f"{name}: {head}" for head in said]


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("store", 'folder = "/etc"'),
        ("outbox", 'folder = "/var/lib"'),
        ("rules", 'folder = "../rules"'),
        ("tournament", 'file = "/dev/zero"'),
        ("game", 'profile = "/etc/passwd"'),
        ("game", 'profile = "rules/../friday.toml"'),
    ],
)
def test_no_path_of_a_stick_leads_elsewhere_on_the_box(section: str, line: str, tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_text(f"[{section}]\n{line}\n")
    (mistake,) = read_card(tmp_path, try_config).mistakes
    key, _, value = line.partition(" = ")
    shown = value.replace('"', "'")
    assert mistake.startswith(
        f"shutthebox.toml: line 2: {section}.{key}: {shown} is not allowed on a card; use "
    )


def test_what_every_card_begins_with_names_no_path(tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_text(default_text())
    assert read_card(tmp_path, try_config).mistakes == ()


def test_every_key_that_takes_any_text_says_what_a_card_may_say() -> None:
    forgotten = [
        f"{section}.{name}: give it on_card"
        for section, keys in SECTIONS.items()
        for name, key in keys.items()
        if key.check is validation.text and key.on_card is None
    ]
    assert not forgotten


def test_a_file_full_of_mistakes_fills_no_display(tmp_path: Path) -> None:
    (tmp_path / KEY_NAME).write_text("?\n" * 1000)
    assert len(read_card(tmp_path, any_box).mistakes) == MAX_MISTAKES


def test_a_league_that_was_copied_in_part_is_a_mistake(tmp_path: Path) -> None:
    enrolled(tmp_path)
    text = (tmp_path / "lion.toml").read_text()
    card = tmp_path / "card"
    card.mkdir()
    (card / LEAGUE_NAME).write_text(text)
    assert read_card(card, any_box).mistakes == ()
    lines = text.splitlines(keepends=True)
    for key in ("key", "league_key"):
        (at,) = [n for n, line in enumerate(lines) if line.startswith(f"{key} = ")]
        short = lines[at].replace("\\n-----END", "-----END").replace(lines[at].split("\\n")[1][:4], "", 1)
        (card / LEAGUE_NAME).write_text("".join([*lines[:at], short, *lines[at + 1 :]]))
        (mistake,) = read_card(card, any_box).mistakes
        assert key in mistake
        (card / LEAGUE_NAME).write_text("".join([*lines[:at], *lines[at + 1 :]]))
        (mistake,) = read_card(card, any_box).mistakes
        assert mistake.startswith(f"league.toml: league.{key}: missing; ")


@pytest.mark.parametrize("name", ["shutthebox-9.9.raucb", "Shutthebox.RAUCB", "shutthebox-box-2026-11-23/"])
def test_an_update_and_what_the_box_saved_are_no_mistakes(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    assert read_card(tmp_path, any_box).mistakes == ()


def test_a_name_in_capitals_is_the_same_to_the_card(tmp_path: Path) -> None:
    for name in ("NETWORK.TOML", "config.txt", "cmdline.txt"):
        (tmp_path / name).write_text("")
    assert read_card(tmp_path, any_box).mistakes == ()
