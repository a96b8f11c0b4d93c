"""Follows docs/self-hosting.md: types its commands, block by block, as they stand there.

They act on /etc, /opt, /var and more. So all of it happens in a mount namespace of its own, where each of these folders
has a layer above it that is thrown away at the end; the machine stays as it is. There is no service manager in there: a
stand-in for `systemctl` starts what the unit says, as the user that it names, and sends the signals that it names.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "self-hosting.md"
LAYERED = ("/etc", "/opt", "/root", "/usr", "/var")
"""Folders that the commands write to, or whose rights must be others."""
SECONDS = 900
"""For everything; without the installation a minute is enough."""

REACH = """\
mkdir -p {scratch}/checkout
mount --bind {root} {scratch}/checkout
mount -t tmpfs -o mode=0755 tmpfs {shut}
mkdir -p {root}
mount --bind {scratch}/checkout {root}
"""
"""For a checkout in a folder that only its owner may enter, as the server's user must read it too."""

SETUP = """\
set -eu
for place in {layered}; do
    layer={scratch}/layers$place
    mkdir -p "$layer/upper" "$layer/work"
    mount -t overlay overlay -o "lowerdir=$place,upperdir=$layer/upper,workdir=$layer/work" "$place"
done
chmod 0755 /root {scratch}
mkdir -p /usr/local/src/robby
mkdir -p {scratch}/sources/upper {scratch}/sources/work
mount -t overlay overlay -o "lowerdir={root},upperdir={scratch}/sources/upper,workdir={scratch}/sources/work" \\
    /usr/local/src/robby
"""

SYSTEMCTL = """\
#!/bin/sh
# In place of systemd: the unit's own command, user and signals.
set -eu
unit=/etc/systemd/system/robby.service
pid={scratch}/pid
log={scratch}/serve.log
stop() {{
    [ ! -e "$pid" ] || {{ kill -TERM "$(cat "$pid")" && tail --pid="$(cat "$pid")" -f /dev/null; rm "$pid"; }}
}}
start() {{
    command=$(sed -n 's/^ExecStart=//p' "$unit")
    user=$(sed -n 's/^User=//p' "$unit")
    umask "$(sed -n 's/^UMask=//p' "$unit")"
    : > "$log"
    setsid setpriv --reuid="$user" --regid="$user" --init-groups --no-new-privs --bounding-set=-all \\
        $command >> "$log" 2>&1 < /dev/null &
    echo $! > "$pid"
    until grep -q "server's id" "$log"; do
        kill -0 "$(cat "$pid")" 2> /dev/null || {{ cat "$log"; exit 1; }}
        sleep 0.1
    done
}}
case $1 in
    daemon-reload) ;;
    enable | start) start ;;
    stop) stop ;;
    restart) stop; start ;;
    reload | reload-or-restart) kill -HUP "$(cat "$pid")" ;;
    status) kill -0 "$(cat "$pid")"; cat "$log" ;;
    *) echo "systemctl $*?"; exit 1 ;;
esac
"""

AFTERWARDS = """\
# What certbot's renewal does, with the certificate that is there.
mkdir /root/renewed
cp /root/robby-ca/server.crt /root/renewed/fullchain.pem
cp /root/robby-ca/server.key /root/renewed/privkey.pem
RENEWED_LINEAGE=/root/renewed /etc/letsencrypt/renewal-hooks/deploy/robby
until grep -q '"reloaded"' {scratch}/serve.log; do sleep 0.1; done
runuser -u robby -- /opt/robby/bin/robby admin --data /var/lib/robby status
for record in /var/backups/robby/today/records/*; do /opt/robby/bin/robby verify "$record"; done
systemctl stop robby
"""


def blocks(page: str, *, install: bool) -> list[str]:
    """The commands of the page in its order. install: with those that bring the program onto the machine."""
    found = re.findall(r"^```sh( install)?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [text for marked, text in found if install or not marked]


def possible() -> str | None:
    """Why it cannot be done here; None if it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "it needs root on Linux"
    tools = ("unshare", "ip", "setpriv", "runuser", "adduser", "openssl", "curl", "systemd-analyze")
    missing = [tool for tool in tools if shutil.which(tool, path=SYSTEM_PATH) is None]
    if missing:
        return f"there is no {', '.join(missing)} here"
    with tempfile.TemporaryDirectory() as scratch:
        script = setup(Path(scratch)) + "echo layered\n" + AS_NOBODY.format(root=ROOT)
        probe = subprocess.run(
            ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, cwd="/", check=False
        )
    if not probe.returncode:
        return None
    what = "the checkout cannot be read by all" if "layered" in probe.stdout else "folders cannot be layered"
    return f"{what}: {probe.stderr.strip()}"


SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


AS_NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups {root}/.venv/bin/python -P -c 'import robby_cli'\n"


def setup(scratch: Path) -> str:
    """The commands that make the private folders."""
    found = SETUP.format(layered=" ".join(LAYERED), scratch=scratch, root=ROOT)
    shut = [one for one in reversed(ROOT.parents) if one != Path("/root") and not one.stat().st_mode & stat.S_IXOTH]
    if shut:
        found += REACH.format(scratch=scratch, root=ROOT, shut=shut[0])
    return found


def follow(*, install: bool) -> int:
    """Type everything. Returns the exit code of the first command that failed, or 0."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        stubs = scratch / "bin"
        stubs.mkdir()
        (stubs / "systemctl").write_text(SYSTEMCTL.format(scratch=scratch))
        (stubs / "systemctl").chmod(0o755)
        lines = [setup(scratch)]
        if not install:
            lines.append(f"mkdir -p /opt/robby && ln -s {ROOT}/.venv/bin /opt/robby/bin")
        for number, block in enumerate([*blocks(PAGE.read_text(encoding="utf-8"), install=install), None]):
            text = AFTERWARDS.format(scratch=scratch) if block is None else block
            path = scratch / f"block-{number}.sh"
            path.write_text(text, encoding="utf-8")
            lines.append(f"cat {path}; sh -eu {path}")
        lines.append("echo 'The page was followed to its end.'")
        environment = {**os.environ, "PATH": f"{stubs}:{SYSTEM_PATH}", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        for name in ("ROBBY_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV", "PYTHONPATH"):
            environment.pop(name, None)
        # With a process namespace of its own too, nothing that was started can outlive it; with a network of its own
        # nobody else can reach the server.
        command = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
        if not install:
            command.append("--net")
            lines.insert(0, "ip link set lo up")
        command += ["sh", "-eu", f"{scratch}/all.sh"]
        (scratch / "all.sh").write_text("\n".join(lines), encoding="utf-8")
        return subprocess.run(command, env=environment, cwd="/", timeout=SECONDS, check=False).returncode


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    reason = possible()
    if reason is not None:
        print(f"docs/self-hosting.md cannot be followed here: {reason}.", file=sys.stderr)
        return 2
    return follow(install="--install" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
