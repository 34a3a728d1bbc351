"""The owner's files, on the card's first partition or on a stick.

Configuration, house rules, tournament, network, SSH keys, league, Home Assistant, a broker's certificate, and
whatever Raspberry Pi Imager wrote. They are checked together: either all of them are good, or none is used.
"""

import base64
import binascii
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from shutthebox import validation
from shutthebox.config.imager import (
    NETWORK_CONFIG_NAME,
    OTHER_IMAGERS,
    USER_DATA_NAME,
    UserData,
    Wifi,
    examine_network_config,
    examine_user_data,
    is_wpa2_key,
)
from shutthebox.config.networks import (
    NETWORK_NAME,
    Network,
    examine_network,
    imagers_network,
    network_files,
)
from shutthebox.config.profiles import house_rules, house_rules_files, why_no_stakes
from shutthebox.config.schema import (
    BROKER_FILE,
    LEAGUE_CA_FILE,
    RULES_FOLDER,
    TOURNAMENT_FILE,
    UPLINK_FILES,
    Config,
    ConfigError,
    default_text,
    examine_config,
    on_card,
    with_files_beside,
)
from shutthebox.config.stray_files import is_hidden, is_misnamed
from shutthebox.config.uplink_files import examine_enrolment, examine_home_assistant
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import entries_of, read_text, shown_path
from shutthebox.rules.equal_dice import TournamentError, tournament_from_text

CONFIG_NAME, KEY_NAME = "shutthebox.toml", "ssh-key.txt"
LEAGUE_NAME, HOME_ASSISTANT_NAME = UPLINK_FILES

_WPA2_ONLY = f"is a WPA2 key; to join a Wi-Fi that only allows WPA3, write {NETWORK_NAME}"

MAX_RULES = 100
"""The most files of house rules."""

_KEY_KINDS = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
              "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")  # fmt: skip


def examine_keys(text: str, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parses public keys, one per line; also returns the mistakes, with their line numbers."""
    keys, mistakes = [], []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.lstrip().startswith("#"):
            continue
        if "PRIVATE" in line:
            # The rest of it would only be more mistakes.
            return (), (
                f"{where}: line {number}: a private key, to be kept secret; "
                "use the public one, from the file that ends in .pub",
            )
        if _is_key(words):
            keys.append(" ".join(words))
        else:
            mistakes.append(
                f"{where}: line {number}: no public key; use a line like ssh-ed25519 AAAA... name"
            )
    return tuple(keys), tuple(mistakes)


def _is_key(words: list[str]) -> bool:
    if len(words) < 2 or words[0] not in _KEY_KINDS:
        return False
    try:
        data = base64.b64decode(words[1], validate=True)
    except binascii.Error:
        return False
    # The key repeats its kind, with its length in four bytes.
    kind = words[0].encode()
    return data.startswith(len(kind).to_bytes(4, "big") + kind) and len(data) > len(kind) + 32


@dataclass(frozen=True, slots=True)
class Card:
    """The content of the owner's files.

    Attributes:
        texts: the files found, by name; house rules include their folder, as in rules/friday.toml.
        network: the network settings; empty without the file.
        keys: public keys; empty without the file.
        zone: the time zone given to Imager; empty for none.
        language: the screen language given to Imager, unless the configuration sets one.
        notes: a line each: what isn't used in Imager's files, files that aren't the box's, and what the box
            doesn't show of house rules.
        mistakes: one line each: file, line or key, what's allowed. If there are any, nothing is used.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    keys: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    zone: str = ""
    language: str = ""
    notes: tuple[str, ...] = ()


class Installed(NamedTuple):
    """A file on the box.

    Attributes:
        text: its content.
        mode: who may read it.
        for_box: the box reads it, so it has to get into its folder, too.
    """

    text: str
    mode: int = 0o644
    for_box: bool = False


class OwnersFile(NamedTuple):
    """A kind of file that an owner may write.

    Attributes:
        examine: keeps what a text says, given the file's name; returns the mistakes, a line each.
        install: what the box needs of a card, by path; None removes a file.
        is_sent: other people make it, so an empty one is an interrupted copy.
    """

    examine: "Callable[[_Reading, str, str], tuple[str, ...]]"
    install: Callable[[Card, str], Mapping[str, Installed | None]]
    is_sent: bool = False


class _Reading:
    """What has been read of a folder so far, and what's needed to examine the rest."""

    def __init__(
        self, folder: Path, try_config: Callable[[Config, str], None], installed: Path | None
    ) -> None:
        self.folder, self.try_config, self.installed = folder, try_config, installed
        self.network, self.keys = Network(), tuple[str, ...]()
        self.imager, self.wifi = UserData(), Wifi()

    def config(self, text: str, name: str) -> tuple[str, ...]:
        return _examine_config(text, self.try_config, self.folder, self.installed)

    def networks(self, text: str, name: str) -> tuple[str, ...]:
        self.network, mistakes = examine_network(text, name)
        return mistakes

    def ssh_keys(self, text: str, name: str) -> tuple[str, ...]:
        self.keys, mistakes = examine_keys(text, name)
        return mistakes

    def enrolment(self, text: str, name: str) -> tuple[str, ...]:
        enrolment, mistakes = examine_enrolment(text, name)
        if enrolment.get("ca", LEAGUE_CA_FILE) == LEAGUE_CA_FILE:
            return mistakes
        return (
            *mistakes,
            f"{name}: league.ca: not allowed here; use {LEAGUE_CA_FILE}, and name the file so",
        )

    def home_assistant(self, text: str, name: str) -> tuple[str, ...]:
        return examine_home_assistant(text, name)[1]

    def certificate(self, text: str, name: str) -> tuple[str, ...]:
        return _examine_certificate(text, name)

    def tournament(self, text: str, name: str) -> tuple[str, ...]:
        return _examine_tournament(text, name)

    def user_data(self, text: str, name: str) -> tuple[str, ...]:
        self.imager, mistakes = examine_user_data(text, name)
        return mistakes

    def network_config(self, text: str, name: str) -> tuple[str, ...]:
        self.wifi, mistakes = examine_network_config(text, name)
        return mistakes

    def house_rules(self, text: str, name: str) -> tuple[str, ...]:
        return ()  # examined together: `_rules`


def _install_config(card: Card, name: str) -> Mapping[str, Installed | None]:
    text = card.texts.get(CONFIG_NAME)
    # Without the file, what the box has stays.
    return {} if text is None else {"etc/config.toml": Installed(with_language(text, card.language))}


def _install_network(card: Card, name: str) -> Mapping[str, Installed | None]:
    network = card.network
    named = {"name": network.name, "timezone": network.timezone}
    return {
        **{f"network/{file}": Installed(text, 0o600) for file, text in network_files(network).items()},
        **{f"network/{key}": Installed(f"{value}\n" if value else "") for key, value in named.items()},
    }


def _install_keys(card: Card, name: str) -> Mapping[str, Installed | None]:
    return {"ssh/authorized_keys": Installed("".join(f"{key}\n" for key in card.keys), 0o600)}


def _install_imagers(card: Card, name: str) -> Mapping[str, Installed | None]:
    """Installs everything that Imager's files fill in where the owner's own say nothing."""
    return {
        **_install_config(card, CONFIG_NAME),
        **_install_network(card, NETWORK_NAME),
        **_install_keys(card, KEY_NAME),
        "card/timezone": Installed(f"{card.zone}\n" if card.zone else ""),
    }


def _install_secret(card: Card, name: str) -> Mapping[str, Installed | None]:
    """Installs a file unchanged, readable by root alone."""
    return {path: file and Installed(file.text, 0o600) for path, file in _install_as_is(card, name).items()}


def _install_as_is(card: Card, name: str) -> Mapping[str, Installed | None]:
    text = card.texts.get(name)
    is_gone = text is None or is_only_comments(text)
    return {f"etc/{name}": None if is_gone else Installed(text or "", for_box=True)}


FILES: Mapping[str, OwnersFile] = {
    CONFIG_NAME: OwnersFile(_Reading.config, _install_config),
    NETWORK_NAME: OwnersFile(_Reading.networks, _install_network),
    KEY_NAME: OwnersFile(_Reading.ssh_keys, _install_keys),
    LEAGUE_NAME: OwnersFile(_Reading.enrolment, _install_secret, is_sent=True),
    LEAGUE_CA_FILE: OwnersFile(_Reading.certificate, _install_as_is, is_sent=True),
    HOME_ASSISTANT_NAME: OwnersFile(_Reading.home_assistant, _install_secret, is_sent=True),
    BROKER_FILE: OwnersFile(_Reading.certificate, _install_as_is, is_sent=True),
    TOURNAMENT_FILE: OwnersFile(_Reading.tournament, _install_as_is, is_sent=True),
    USER_DATA_NAME: OwnersFile(_Reading.user_data, _install_imagers),
    NETWORK_CONFIG_NAME: OwnersFile(_Reading.network_config, _install_imagers),
}
"""The owner's files by name, in the order in which they're read."""

NAMES = tuple(FILES)
_HOUSE_RULES = OwnersFile(_Reading.house_rules, _install_as_is)


def owners_file(name: str) -> OwnersFile:
    """What a file on the card is; house rules have any name."""
    return FILES.get(name, _HOUSE_RULES)


def read_card(folder: Path, try_config: Callable[[Config, str], None], installed: Path | None = None) -> Card:
    """Reads and checks the owner's files in this folder, all together.

    Args:
        folder: the first partition of the card, or a folder of a stick.
        try_config: refuses a configuration that no box can play with; called with the name of its file for
            complaints, raises ShutTheBoxError.
        installed: the folder with the box's files that stay; a configuration may need house rules there.

    Raises:
        OSError: the folder can't be read.
    """
    texts, mistakes, strays = _read_texts(folder)
    reading = _Reading(folder, try_config, installed)
    for name, text in texts.items():
        found = _examine(reading, name, text)
        mistakes += (_with_line(mistake, name, text) for mistake in found[: validation.MAX_MISTAKES])
    mistakes += _fill_in_from_imager(reading, texts)
    said = tuple(dict.fromkeys(mistakes))[: validation.MAX_MISTAKES]
    imager = reading.imager
    notes = tuple(_notes(reading, texts, strays))
    return Card(texts, reading.network, reading.keys, said, imager.zone, imager.language, notes)


def _read_texts(folder: Path) -> tuple[dict[str, str], list[str], list[str]]:
    """The files by name, the mistakes in reading them, and the names of files that aren't the box's."""
    texts: dict[str, str] = {}
    mistakes, strays = _find_misnamed(folder)
    rules, found_in_rules, strays_in_rules = _rules(folder)
    mistakes += found_in_rules
    for name in (*NAMES, *rules):
        path = folder / name
        if not _is_there(path):
            continue
        try:
            texts[name] = read_text(path, ConfigError, "a file of the card")
        except ConfigError as error:
            mistakes.append(str(error).replace(f"{shown_path(folder)}/", ""))
    return texts, mistakes, [*strays, *strays_in_rules]


def _examine(reading: _Reading, name: str, text: str) -> tuple[str, ...]:
    file = owners_file(name)
    if file.is_sent and not text.strip():
        return (f"{name}: is empty; to remove it, write the line # none",)
    # A configuration without a key has a default for each, and a box may not be able to play with them.
    return () if is_only_comments(text) and name != CONFIG_NAME else file.examine(reading, text, name)


def _fill_in_from_imager(reading: _Reading, texts: Mapping[str, str]) -> list[str]:
    """Takes Imager's networks and keys where the owner's own files say nothing; returns the mistakes."""
    mistakes: list[str] = []
    own = texts.get(NETWORK_NAME)  # a network.toml comes with the card
    says_none = own is not None and re.search(r"(?m)^#\s*none\b", own)
    timezone = reading.network.timezone
    if reading.network == Network(timezone=timezone) and not says_none:
        network, found = imagers_network(reading.imager, reading.wifi)
        reading.network = replace(network, timezone=timezone)
        mistakes += found
    if KEY_NAME not in texts:
        reading.keys, found = examine_keys("\n".join(reading.imager.keys), USER_DATA_NAME)
        mistakes += (re.sub(r"line \d+", "ssh_authorized_keys", mistake) for mistake in found)
    return mistakes


def _notes(reading: _Reading, texts: Mapping[str, str], strays: list[str]) -> Iterator[str]:
    """What the owner should know of files in which nothing is wrong."""
    for name, unused in (
        (USER_DATA_NAME, reading.imager.unused),
        (NETWORK_CONFIG_NAME, reading.wifi.unused),
    ):
        if unused:
            yield f"{name}: not used: {', '.join(unused)}"
    yield from _unseen_stakes(reading.folder, texts)
    for name in OTHER_IMAGERS:
        if _is_there(reading.folder / name):
            instead = "use Raspberry Pi Imager 2 with our rpi-imager.json, or write network.toml"
            yield f"{name}: not used: {instead}"
    if is_wpa2_key(reading.network.password):
        yield f"{NETWORK_CONFIG_NAME}: password: {_WPA2_ONLY}"
    if strays:
        yield _say_strays(strays)


def _is_there(path: Path) -> bool:
    """Whether the path exists. Unlike `Path.exists`, raises if a failing stick makes that impossible to tell.

    Raises:
        OSError: if it can't be told.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_only_comments(text: str) -> bool:
    """Whether a file contains only comments, which removes what it would set."""
    return bool(text.strip()) and all(
        not line or line.startswith("#") for line in map(str.strip, text.splitlines())
    )


def _rules(folder: Path) -> tuple[tuple[str, ...], list[str], list[str]]:
    """The files of house rules, with their folder; the mistakes in them; the strays beside them."""
    place = folder / RULES_FOLDER
    if not _is_there(place):
        return (), [], []
    if not place.is_dir():
        return (), [], [RULES_FOLDER]
    held = {path.name for path in house_rules_files(place) if not path.is_dir()}
    if len(held) > MAX_RULES:
        return (), [f"{RULES_FOLDER}: {len(held)} files; use at most {MAX_RULES}"], []
    names = tuple(f"{RULES_FOLDER}/{name}" for name in sorted(held))
    mistakes, strays = [], []
    given = {entry.name for entry in entries_of(place) if not is_hidden(entry.name)}
    for stray in sorted(given - held):
        wanted = re.sub(r"(?i)\.toml(\.(toml|txt|rtf))*$", ".toml", stray)
        if stray == wanted or wanted in held:
            strays.append(f"{RULES_FOLDER}/{stray}")
        else:
            mistakes.append(
                f"{RULES_FOLDER}/{shown_path(Path(stray))}: is not read; its name has to end in .toml"
            )
    for fault in (mistake for error in house_rules(place)[1] for mistake in error.mistakes):
        mistake = fault.replace(f"{shown_path(folder)}/", "")
        if any(mistake.startswith(f"{stray}: ") for stray in strays):
            continue
        name = next((name for name in names if mistake.startswith(f"{name}: ")), None)
        if name is not None:
            with suppress(ConfigError):  # reported when all files are read
                text = read_text(folder / name, ConfigError, "a file of the card")
                if is_only_comments(text):
                    continue
                mistake = _with_line(mistake, name, text)
        mistakes.append(mistake)
    return names, mistakes, strays


def _unseen_stakes(folder: Path, texts: Mapping[str, str]) -> tuple[str, ...]:
    """For each file of house rules with stakes that the box doesn't show: a line that says so."""
    place = folder / RULES_FOLDER
    if not any(name.startswith(f"{RULES_FOLDER}/") for name in texts):
        return ()
    config, _ = examine_config(texts.get(CONFIG_NAME, ""), CONFIG_NAME)
    found = ((game, why_no_stakes(game, config.game.stakes)) for game in house_rules(place)[0])
    return tuple(f"{RULES_FOLDER}: {game.name}: {why}" for game, why in found if why)


def _examine_certificate(text: str, name: str) -> tuple[str, ...]:
    import ssl  # imported lazily to keep startup fast

    if "PRIVATE KEY" in text:
        return (f"{name}: a private key, to be kept secret; use the certificate",)
    try:
        # Comments may have any letters, of which Python passes on ASCII alone.
        ssl.create_default_context(cadata=text.encode("ascii", "replace").decode())
    except (ssl.SSLError, ValueError):
        return (f"{name}: no certificate; use one that begins with -----BEGIN CERTIFICATE-----",)
    return ()


def _examine_tournament(text: str, name: str) -> tuple[str, ...]:
    try:
        tournament_from_text(text, name)
    except TournamentError as error:
        return tuple(re.sub(r":(\d+): ", r": line \1: ", mistake, count=1) for mistake in error.mistakes)
    return ()


def _examine_config(
    text: str, try_config: Callable[[Config, str], None], folder: Path, installed: Path | None
) -> tuple[str, ...]:
    config, mistakes = examine_config(text, CONFIG_NAME)
    config, elsewhere = on_card(config, CONFIG_NAME)
    found = [str(mistake) for mistake in (*mistakes, *elsewhere)]
    if any(mistake.startswith(_UNKNOWN_FIT) for mistake in found):
        return tuple(found)
    complaints = list[list[str]]()
    for place in (folder, *(() if installed is None else (installed,))):
        try:
            try_config(with_files_beside(config, place), CONFIG_NAME)
        except ShutTheBoxError as error:
            said = (mistake.replace(f"{shown_path(place)}/", "") for mistake in error.mistakes)
            complaints.append([f"{_HERE}{mistake.removeprefix(_HERE)}" for mistake in said])
        else:
            return tuple(found)
    return (*found, *complaints[0])


_HERE = f"{CONFIG_NAME}: "
_UNKNOWN_FIT = tuple(f"{_HERE}{what}" for what in ("not valid TOML", "box.levers:", "gpio.levers"))
"""The beginnings of mistakes after which nobody can tell what fits the box."""


def _with_line(mistake: str, name: str, text: str) -> str:
    """Adds the line number of the key that the mistake names, if the text contains it."""
    key = re.match(rf"{re.escape(name)}: ([\w.-]+)(?:\[\d+\])?: ", mistake)
    line = validation.line_of(text, key[1]) if key else None
    return mistake if line is None else mistake.replace(": ", f": line {line}: ", 1)


def _find_misnamed(folder: Path) -> tuple[list[str], list[str]]:
    """Complaints about files meant to be ours but misnamed, and the names of those that only look like ours.

    Some systems add an ending and hide it. Beside the right file, it's a copy: renaming it would
    overwrite the good one.
    """
    given = {entry.name.lower() for entry in entries_of(folder)}
    mistakes, strays = [], []
    for entry in sorted(entries_of(folder), key=lambda entry: entry.name):
        name = entry.name
        # Updates are named shutthebox-VERSION.raucb, and what the box saves is in a folder.
        if is_hidden(name) or name.lower() in NAMES or name.lower().endswith(".raucb") or entry.is_dir():
            continue
        meant = [wanted for wanted in NAMES if is_misnamed(name, wanted)]
        meant += [LEAGUE_NAME] if name.lower() == "shutthebox-league.toml" else []
        if meant and (found := max(meant, key=len)) not in given:
            mistakes.append(f"{shown_path(Path(name))}: is not read; its name has to be {found}")
        elif name.lower().endswith(".toml") or any(
            name.lower().startswith(own.partition(".")[0]) for own in NAMES
        ):
            strays.append(name)
    return mistakes, strays


def _say_strays(names: list[str]) -> str:
    most = validation.MAX_MISTAKES
    shown = [shown_path(Path(name)) for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"left alone, not files of the box: {', '.join(shown)}{more}"


def with_language(text: str, language: str) -> str:
    """The configuration with this language, unless its owner has set one; the default file's isn't theirs."""
    if language and text == default_text():
        return re.sub(r"(?m)^language = .*$", f'language = "{language}"', text, count=1)
    if not language or "language" in tomllib.loads(text).get("box", {}):
        return text
    line = f'language = "{language}"\n'
    found = re.search(r"(?m)^\[box\][^\n]*\n", text)
    return f"{text[: found.end()]}{line}{text[found.end() :]}" if found else f"{text}\n[box]\n{line}"
