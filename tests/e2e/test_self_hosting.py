"""docs/self-hosting.md: its commands work as they stand there, and it agrees with the unit."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from robby_client import exit_codes

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "self-hosting.md").read_text(encoding="utf-8")
UNIT = ROOT / "packaging" / "robby.service"
FOLLOWER = ROOT / "scripts" / "lib" / "self_hosting.py"


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text(encoding="utf-8"))
    return parser


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_page_followed_literally_ends_in_a_game_over_tls() -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(FOLLOWER)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode == 2 and "cannot be followed here" in done.stderr:
        pytest.skip(done.stderr.strip())
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Connected to Friday night as Ana" in said
    assert re.search(r"^The game has ended: .*\d,\d{3}", said, re.MULTILINE)
    assert "The page was followed to its end." in said
    assert not Path("/etc/robby").exists() or "Friday night" not in Path("/etc/robby/robby.toml").read_text()


def test_the_page_names_what_the_unit_uses() -> None:
    service = unit()["Service"]
    program, _serve, _option, config = service["ExecStart"].split()
    for named in (program, config, f"/var/lib/{service['StateDirectory']}", f"user `{service['User']}`", UNIT.name):
        assert named in PAGE
    assert f"adduser --system --group --home /var/lib/{service['StateDirectory']}" in PAGE
    assert "-HUP" in service["ExecReload"]
    prevented = {int(code) for code in service["RestartPreventExitStatus"].split()}
    assert prevented == {exit_codes.USAGE, exit_codes.BAD_CONFIG, exit_codes.BAD_TLS}
    for code in (*prevented, exit_codes.CANNOT_LISTEN, exit_codes.BAD_STORE):
        assert f"\n| {code} | " in PAGE


def test_the_unit_locks_the_server_in() -> None:
    service = unit()["Service"]
    for key in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables"):
        assert service[key] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""
    assert service["Restart"] == "on-failure"
    assert int(service["LimitNOFILE"]) > 500
    assert service["MemoryMax"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_the_unit_is_clean_for_systemd(tmp_path: Path) -> None:
    # The program is not where the unit has it; everything else is as it stands there.
    text = UNIT.read_text(encoding="utf-8").replace("/opt/robby/bin/robby", sys.executable)
    (tmp_path / UNIT.name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / UNIT.name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
