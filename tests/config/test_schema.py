"""The configuration's keys: refusals, with a guess at the right key."""

from pathlib import Path

import pytest

from shutthebox.config.schema import SECTIONS, BoxConfig, Config, ConfigError, parse_config, with_value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[game]\nplayer = 2",
            "game.player: unknown key; did you mean 'players'? allowed in [game] are profile,",
        ),
        (
            "[game]\nlanguage = 'fr'",
            "game.language: unknown key; did you mean it in [box]? allowed in [game] are ",
        ),
        ("[gmae]\nplayers = 2", "gmae.players: unknown section; did you mean 'game'? sections are [game], "),
        ("[zzz]\nplayers = 2", "zzz.players: unknown section; sections are [game], "),
        ("[box]\nlanguage = 'xx'", "box.language: 'xx' is not allowed; allowed is one of \"en\", "),
    ],
)
def test_fail__a_slip_of_the_pen(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "config.toml")
    assert f"config.toml: {said}" in str(caught.value)


def test_scores_lie_where_systemd_says_or_with_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = with_value(Config(), "store.folder", str(tmp_path), "test")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    assert config.scores_folder == tmp_path
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/shutthebox:/run/other")
    assert config.scores_folder == Path("/run/shutthebox")


def test_levers_settle_by_one_time_and_buttons_by_another() -> None:
    box = BoxConfig(settle_ms=3, button_settle_ms=7.5)
    assert [box.settle_ns(switch) for switch in (-1, 0, 1, 12)] == [
        7_500_000,
        7_500_000,
        3_000_000,
        3_000_000,
    ]


@pytest.mark.parametrize("key", ["teams", "turn_seconds"])
def test_none_is_written_as_0_and_nothing_else_is_below_the_least(key: str) -> None:
    assert getattr(parse_config(f"[game]\n{key} = 0", "test").game, key) == 0
    for value in ("1", "-1", "false", "0.0"):
        with pytest.raises(ConfigError, match="allowed is 0, or "):
            parse_config(f"[game]\n{key} = {value}", "test")


def test_every_key_has_a_check_and_says_what_it_means() -> None:
    for keys in SECTIONS.values():
        for key in keys.values():
            assert key.metadata["check"].allowed
            assert key.metadata["meaning"].endswith(".")
            assert key.default is not None or key.metadata["shown"], (
                f"{key.name} has neither default nor example"
            )
