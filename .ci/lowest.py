"""Prints the lowest version of each library that a pyproject.toml of ours allows, as constraints for pip."""

import re

from jobs import own_projects


def main() -> None:
    """Prints them; where two name the same library, the higher of the two is the lowest that all allow."""
    lowest: dict[str, tuple[int, ...]] = {}
    texts: dict[str, str] = {}
    ours = own_projects()
    for project in ours.values():
        for required in [project["dependencies"], *project.get("optional-dependencies", {}).values()]:
            for requirement in required:
                if match := re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)", requirement):
                    name, version = match[1].lower(), tuple(map(int, re.findall(r"\d+", match[2])))
                    if version > lowest.get(name, ()):
                        lowest[name], texts[name] = version, match[2]
    for name in sorted(texts.keys() - ours.keys()):
        print(f"{name}=={texts[name]}")


if __name__ == "__main__":
    main()
