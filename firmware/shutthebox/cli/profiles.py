"""``shutthebox profiles``: lists the games, explains one, checks a house-rules file."""

import argparse
import json
import os
import sys
from pathlib import Path

from shutthebox.cli.own_config import load_games_config
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.sheet import sheet
from shutthebox.config import profiles
from shutthebox.config.settings_loader import rules_folder
from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.files import write_file
from shutthebox.rules.profile import Profile
from shutthebox.rules.words import explain
from shutthebox.rules.writer import to_keys
from shutthebox.texts import N_
from shutthebox.translations import codes, finished_codes, reader_language, translations

_RULES, _SOURCE = N_("Rules"), N_("Source: {source}")
_ONE_TILE, _BOXES = N_("Boxes: 1 tile"), N_("Boxes: {boxes} tiles")


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command; its arguments are what `run` reads."""
    parser = subparsers.add_parser(
        "profiles",
        help="list the games, explain one, or check a house-rules file",
        description="Lists the games that the box knows. With an id or a file, prints that game's rules in "
        "words. For a file that can't be played, prints one line with the file, the key and what's allowed.",
        example="shutthebox profiles trac",
    )
    parser.add_argument("profile", nargs="?", metavar="ID|FILE", help="a game's id, or a TOML file")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, help="folder of house rules; default: as configured"
    )
    parser.add_argument(
        "--sheet", metavar="FILE", type=Path, help="write the game's rules as HTML, to print on A5"
    )
    parser.add_argument(
        "--language",
        metavar="CODE",
        help="language of the rules, such as fr; default: the terminal's, or else the box's",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints one game or all of them; 2 if any file in the folder is no good."""
    config = load_games_config()
    folder: Path | None = args.folder or rules_folder(config)
    if args.sheet is not None and args.profile is None:
        raise ShutTheBoxError("--sheet: needs a game; use an id or a file before it")
    if args.language is not None and args.language not in codes():
        known = ", ".join(codes())
        raise ShutTheBoxError(f"--language: {quoted(args.language)} is not known; use {known}")
    if args.profile is None:
        return _list(args.json, folder)
    profile = profiles.find(args.profile, folder)
    language = args.language or reader_language(os.environ, config.box.language)
    if args.sheet is not None:
        write_file(args.sheet, sheet(profile, language, translations()[language]), "--sheet")
    elif args.json:
        print(json.dumps(_document(profile), ensure_ascii=False, indent=2))
    else:
        print("\n".join(_page(profile, language)))
        if why := profiles.why_no_stakes(profile, config.game.stakes):
            print(f"\nstakes: {why}")
    return 0


def _list(as_json: bool, folder: Path | None) -> int:
    house, bad = profiles.house_rules(folder) if folder is not None else ((), ())
    every = (*profiles.builtins(), *house)
    if as_json:
        print(json.dumps([_entry(profile) for profile in every], ensure_ascii=False, indent=2))
    else:
        name_width = max(len(profile.name) for profile in every)
        for profile in every:
            boxes = ", ".join(map(str, profile.allowed_boxes))
            print(f"{profile.name:{name_width}}  {boxes:9}  {_titles(profile)}")
    for error in bad:
        print(f"shutthebox: {error}", file=sys.stderr)
    return 2 if bad else 0


def _entry(profile: Profile) -> dict[str, object]:
    return {
        "name": profile.name,
        "title": {code: profile.title(code, translations()[code]) for code in finished_codes()},
        "source": profile.source,
        "boxes": list(profile.allowed_boxes),
    }


def _document(profile: Profile) -> dict[str, object]:
    keys = {key: value for key, value in to_keys(profile).items() if not key.startswith("title.")}
    words = {code: list(explain(profile, translations()[code])) for code in finished_codes()}
    return {**keys, **_entry(profile), "words": words}


def _page(profile: Profile, language: str) -> list[str]:
    _ = translations()[language]
    lines = [f"{profile.name}: {profile.title(language, _)}"]
    if profile.source:
        lines.append(_(_SOURCE).format(source=profile.source))
    boxes = ", ".join(map(str, profile.allowed_boxes))
    one = boxes == "1"
    lines.append(_(_ONE_TILE if one else _BOXES).format(boxes=boxes))
    return [*lines, "", _(_RULES), *(f"  {sentence}" for sentence in explain(profile, _))]


def _titles(profile: Profile) -> str:
    titles = (profile.title(code, translations()[code]) for code in finished_codes())
    return " / ".join(dict.fromkeys(titles))
