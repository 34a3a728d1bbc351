"""The exact versions in constraints.txt can be installed wherever the README says that the project runs."""

from importlib.metadata import distributions

from packaging.specifiers import SpecifierSet

from doctools import PROJECT


def test_every_version_runs_on_the_lowest_python() -> None:
    """Debian 12 has 3.11.2, and whoever renews the versions a later one."""
    pins = set((PROJECT / "constraints.txt").read_text("utf-8").splitlines())
    refused = [
        found.name
        for found in distributions()
        if f"{found.name}=={found.version}" in pins
        and not SpecifierSet(str(found.metadata.json.get("requires_python", ""))).contains("3.11.0")
    ]
    assert refused == [], "name the last version that does in pyproject.toml, and renew the others: make pins"
