"""Judges what pip-audit found: `python .ci/audit.py REPORT.json`.

Ends with 1 for a dependency with a known vulnerability, and for one that couldn't be looked up: without a
network nothing is audited.
"""

import json
import sys
from pathlib import Path

from jobs import own_projects


def main(report: Path) -> int:
    """Prints the verdict and returns the exit code."""
    try:
        dependencies = json.loads(report.read_text(encoding="utf-8"))["dependencies"]
    except (OSError, ValueError, LookupError, TypeError):
        print("no advisories available, so the dependencies were not audited")
        return 1
    ours = own_projects()
    looked_up = [entry for entry in dependencies if "vulns" in entry]
    unknown = [entry["name"] for entry in dependencies if "vulns" not in entry and entry["name"] not in ours]
    faults = [(entry, vulnerability) for entry in looked_up for vulnerability in entry["vulns"]]
    for entry, vulnerability in faults:
        fixed = ", ".join(vulnerability.get("fix_versions", ())) or "no version yet"
        print(f"VULNERABLE: {entry['name']} {entry['version']}: {vulnerability['id']}; fixed in {fixed}")
    if unknown:
        names = ", ".join(unknown) if looked_up else f"any of {len(unknown)} dependencies"
        print(f"no advisories available for {names}: not audited")
    print(f"{len(looked_up)} dependencies looked up, {len(faults)} known vulnerabilities")
    return 1 if faults or unknown else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
