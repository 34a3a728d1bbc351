"""The owner's files, on the card's first partition or on a stick.

Configuration, house rules, tournament, network, SSH keys, league, Home Assistant, a broker's certificate, and
whatever Raspberry Pi Imager wrote. They are checked together: either all of them are good, or none is used.
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from shutthebox import validation
from shutthebox.config.imager import (
    NETWORK_CONFIG_NAME,
    OTHER_IMAGERS,
    TIME_ZONE,
    USER_DATA_NAME,
    UserData,
    Wifi,
    examine_network_config,
    examine_user_data,
    is_wpa2_key,
    is_zone,
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
    examine_config,
    on_card,
    with_files_beside,
)
from shutthebox.config.stray_files import is_hidden, is_misnamed
from shutthebox.config.uplink_files import examine_enrolment, examine_home_assistant
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import entries_of, read_text, shown_path
from shutthebox.rules.equal_dice import TournamentError, tournament_from_text
from shutthebox.validation import matching

CONFIG_NAME, NETWORK_NAME, KEY_NAME = "shutthebox.toml", "network.toml", "ssh-key.txt"
LEAGUE_NAME, HOME_ASSISTANT_NAME = UPLINK_FILES
IMAGER_NAMES = (USER_DATA_NAME, NETWORK_CONFIG_NAME)
NAMES = (
    CONFIG_NAME,
    NETWORK_NAME,
    KEY_NAME,
    LEAGUE_NAME,
    LEAGUE_CA_FILE,
    HOME_ASSISTANT_NAME,
    BROKER_FILE,
    TOURNAMENT_FILE,
    *IMAGER_NAMES,
)

_NEVER_EMPTY = (LEAGUE_NAME, LEAGUE_CA_FILE, HOME_ASSISTANT_NAME, BROKER_FILE, TOURNAMENT_FILE)

MOST_RULES = 100
"""The most files of house rules."""

_KEY_KINDS = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
              "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Network:
    """The networks the box joins; by default, none.

    Attributes:
        wifi: the name of the Wi-Fi network; empty for none.
        password: the Wi-Fi password, 8 to 63 characters; empty for an open network. Or the WPA2 key, 64
            hexadecimal digits, which is all that Imager keeps of a password.
        country: two-letter country code; it determines the radio channels.
        cable: also use a wired network.
        name: the box's host name (reachable as NAME.local); empty for shutthebox.
        timezone: of the box's clock, which the network sets; empty for Imager's, or UTC.
    """

    wifi: str = ""
    password: str = ""
    country: str = ""
    cable: bool = False
    name: str = ""
    timezone: str = ""


def _wifi(value: object) -> str:
    name = validation.text(value)
    if not 1 <= len(name.encode()) <= 32:
        raise validation.WrongValueError("a name of 1 to 32 bytes")
    return name


_password = matching("[ -~]{8,63}", "a text of 8 to 63 characters from space to ~")
_zone_name = matching(TIME_ZONE, 'the name of a time zone, such as "Europe/Paris"')
_WPA2_ONLY = f"is a WPA2 key; to join a Wi-Fi that only allows WPA3, write {NETWORK_NAME}"


def _password_or_key(value: object) -> str:
    return str(value) if is_wpa2_key(value) else _password(value)


def _timezone(value: object) -> str:
    zone = _zone_name(value)
    if not is_zone(zone):
        raise validation.WrongValueError(f"{_zone_name.allowed}{_like_zone(zone)}")
    return zone


def _like_zone(given: str) -> str:
    """A hint at the zone of a city, or at a name much like the given one; empty if there's none."""
    zones = sorted(available_timezones())
    of_city = next((zone for zone in zones if zone.lower().endswith(f"/{given.lower()}")), None)
    near = f"did you mean {of_city!r}?" if of_city else validation.did_you_mean(given, zones).strip()
    return f"; {near}" if near else ""


_CHECKS: Mapping[str, Callable[[object], Any]] = {
    "wifi": _wifi,
    "password": _password,
    "country": matching("[A-Za-z]{2}", 'two letters, such as "BE" or "FR"').then(str.upper),
    "cable": validation.boolean,
    "name": matching(
        "[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?",
        "1 to 32 letters without accents, digits and - between them",
    ).then(str.lower),
    "timezone": _timezone,
}


def examine_network(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """Parses the networks in this TOML text; also returns its mistakes, a line each.

    A mistake names the key and what is allowed, never the password.
    """
    document, wrong = validation.examine_toml(text)
    found, mistakes = validation.examine_keys(document, _CHECKS, f"{where}: ", secrets=("password",))
    network = Network(**found)
    if wrong:  # and what is missing may be in there
        return network, (*(f"{where}: {mistake}" for mistake in wrong), *mistakes)
    if network.wifi and "country" not in document:
        mistakes.append(f'{where}: country: is missing; use two letters, such as "BE" or "FR"')
    if network.password and "wifi" not in document:
        mistakes.append(f"{where}: wifi: is missing; use the name of the Wi-Fi")
    return network, tuple(mistakes)


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
    network: Network = Network()
    keys: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    zone: str = ""
    language: str = ""
    notes: tuple[str, ...] = ()


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
    texts: dict[str, str] = {}
    mistakes, strays = _find_misnamed(folder)
    rules, found_in_rules, strays_in_rules = _rules(folder)
    mistakes += found_in_rules
    strays += strays_in_rules
    for name in (*NAMES, *rules):
        path = folder / name
        if not _is_there(path):
            continue
        try:
            texts[name] = read_text(path, ConfigError, "a file of the card")
        except ConfigError as error:
            mistakes.append(str(error).replace(f"{shown_path(folder)}/", ""))
    network, keys = Network(), tuple[str, ...]()
    imager, wifi = UserData(), Wifi()
    for name, text in texts.items():
        found: tuple[str, ...]
        if name == CONFIG_NAME:
            found = _examine_config(text, try_config, folder, installed)
        elif not text.strip() and name in _NEVER_EMPTY:
            # An interrupted copy leaves it empty.
            found = (f"{name}: is empty; to remove it, write the line # none",)
        elif is_only_comments(text):
            found = ()
        elif name == NETWORK_NAME:
            network, found = examine_network(text, name)
        elif name == KEY_NAME:
            keys, found = examine_keys(text, name)
        elif name == LEAGUE_NAME:
            enrolment, found = examine_enrolment(text, name)
            if enrolment.get("ca", LEAGUE_CA_FILE) != LEAGUE_CA_FILE:
                found = (
                    *found,
                    f"{name}: league.ca: not allowed here; use {LEAGUE_CA_FILE}, and name the file so",
                )
        elif name in (LEAGUE_CA_FILE, BROKER_FILE):
            found = _examine_certificate(text, name)
        elif name == TOURNAMENT_FILE:
            found = _examine_tournament(text, name)
        elif name in rules:
            found = ()  # examined together
        elif name == USER_DATA_NAME:
            imager, found = examine_user_data(text, name)
        elif name == NETWORK_CONFIG_NAME:
            wifi, found = examine_network_config(text, name)
        else:
            _, found = examine_home_assistant(text, name)
        mistakes += (_with_line(mistake, name, text) for mistake in found[: validation.MOST_MISTAKES])
    # Imager's files apply where the owner's own say nothing, like the network.toml that comes with the card.
    own = texts.get(NETWORK_NAME)
    says_none = own is not None and re.search(r"(?m)^#\s*none\b", own)
    if network == Network(timezone=network.timezone) and not says_none:
        imagers, found = _imagers_network(imager, wifi)
        network = replace(imagers, timezone=network.timezone)
        mistakes += found
    if KEY_NAME not in texts:
        keys, found = examine_keys("\n".join(imager.keys), USER_DATA_NAME)
        mistakes += (re.sub(r"line \d+", "ssh_authorized_keys", mistake) for mistake in found)
    notes = tuple(
        f"{name}: not used: {', '.join(unused)}"
        for name, unused in ((USER_DATA_NAME, imager.unused), (NETWORK_CONFIG_NAME, wifi.unused))
        if unused
    )
    notes += _unseen_stakes(folder, texts)
    notes += tuple(
        f"{name}: not used: use Raspberry Pi Imager 2 with our rpi-imager.json, or write network.toml"
        for name in OTHER_IMAGERS
        if _is_there(folder / name)
    )
    if is_wpa2_key(network.password):
        notes += (f"{NETWORK_CONFIG_NAME}: password: {_WPA2_ONLY}",)
    if strays:
        notes += (_say_strays(strays),)
    said = tuple(dict.fromkeys(mistakes))[: validation.MOST_MISTAKES]
    return Card(texts, network, keys, said, imager.zone, imager.language, notes)


def _imagers_network(imager: UserData, wifi: Wifi) -> tuple[Network, tuple[str, ...]]:
    """The network given to Imager, and the mistakes in it."""
    checks = {**_CHECKS, "password": _password_or_key}
    found, mistakes = validation.examine_keys(
        wifi.keys, checks, f"{NETWORK_CONFIG_NAME}: ", secrets=("password",)
    )
    named, wrong = validation.examine_keys(
        {"name": imager.name} if imager.name else {}, checks, f"{USER_DATA_NAME}: ", secrets=()
    )
    mistakes = [*mistakes, *(mistake.replace("name:", "hostname:", 1) for mistake in wrong)]
    if "wifi" in wifi.keys and "country" not in wifi.keys:
        allowed = 'use two letters, such as "BE" or "FR"'
        mistakes.append(f"{NETWORK_CONFIG_NAME}: regulatory-domain: is missing; {allowed}")
    return Network(**found, **named), tuple(mistakes)


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
    if len(held) > MOST_RULES:
        return (), [f"{RULES_FOLDER}: {len(held)} files; use at most {MOST_RULES}"], []
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
    most = validation.MOST_MISTAKES
    shown = [shown_path(Path(name)) for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"left alone, not files of the box: {', '.join(shown)}{more}"
