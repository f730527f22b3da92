import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Ran, git, make_vault

Run = Callable[..., Ran]
CRONTAB = """#!/bin/sh
file="$CRONTAB_FILE"
case "$1" in
  -l) [ -f "$file" ] && exec cat "$file"; echo "no crontab for $USER" >&2; exit 1;;
  -) exec cat > "$file";;
esac
exit 2
"""
SYSTEMCTL = """#!/bin/sh
echo "$*" >> "$SYSTEMCTL_LOG"
"""


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on PATH with a crontab, a systemctl, and this program as cron would find it: nowhere on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m echo_notes "$@"\n'
    away = tmp_path / "far 100% away"
    away.mkdir()
    for path, text in (
        (folder / "crontab", CRONTAB),
        (folder / "systemctl", SYSTEMCTL),
        (away / "echo-notes", program),
    ):
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CRONTAB_FILE", str(tmp_path / "crontab.txt"))
    monkeypatch.setenv("SYSTEMCTL_LOG", str(tmp_path / "systemctl.txt"))
    monkeypatch.setattr(sys, "argv", [str(away / "echo-notes"), "schedule"])
    return tmp_path


@pytest.fixture
def odd_vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / 'my 5% $HOME\'s "vault"')


def crontab(tmp_path: Path) -> str:
    return (tmp_path / "crontab.txt").read_text(encoding="utf-8")


def entries(text: str) -> dict[str, tuple[str, str]]:
    """Return (when, command as cron hands it to sh) by pass."""
    found = {}
    for line in text.splitlines():
        if line.startswith(("#", "MAILTO")) or not line:
            continue
        parts = line.split(" ", 5)
        command = parts[5].replace("\\%", "%")
        name = next(word for word in ("heartbeat", "decay", "synthesize") if f" {word} " in command)
        found[name] = (" ".join(parts[:5]), command)
    return found


def test_install_keeps_every_other_line_and_twice_is_once(bin_dir: Path, vault: Path, run: Run) -> None:
    mine = "# my own\nMAILTO=me@example.org\n5 4 * * *  echo\ta%b \\% # odd  \n\n0 0 1 1 * true"
    (bin_dir / "crontab.txt").write_text(mine, encoding="utf-8")
    ran = run("schedule", "install", at=vault)
    assert (ran.status, ran.err) == (0, "")
    assert str(vault / ".echo/state/schedule.log") in ran.out
    once = crontab(bin_dir)
    assert once.startswith(mine + "\n# >>> echo-notes ")
    assert run("schedule", "install", at=vault).out == "nothing to do: already in the crontab\n"
    assert crontab(bin_dir) == once
    assert run("schedule", "remove", at=vault).status == 0
    assert crontab(bin_dir) == mine + "\n"
    assert run("schedule", "remove", at=vault).out == "nothing to do: not in the crontab\n"


def test_the_times_are_those_of_the_passes(bin_dir: Path, vault: Path, run: Run) -> None:
    run("schedule", "install", at=vault)
    times = {name: when for name, (when, _) in entries(crontab(bin_dir)).items()}
    assert times == {"heartbeat": "*/30 * * * *", "decay": "0 4 * * *", "synthesize": "0 18 * * 0"}
    assert " synthesize --weekly " in entries(crontab(bin_dir))["synthesize"][1]


def test_the_lines_run_as_cron_runs_them(bin_dir: Path, odd_vault: Path, run: Run, world: Path) -> None:
    assert run("schedule", "install", at=odd_vault).status == 0
    bare = {"HOME": str(world), "PATH": "/usr/bin:/bin", "LOGNAME": "me", "ECHO_NOTES_NOW": "2026-11-29T18:00:00+00:00"}
    for name, (_, command) in entries(crontab(bin_dir)).items():
        done = subprocess.run(["/bin/sh", "-c", command], cwd="/", env=bare, capture_output=True, check=False)
        log = (odd_vault / ".echo/state/schedule.log").read_text(encoding="utf-8")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), f"{name}: {log}"
        assert (odd_vault / ".echo/state/runs" / name).exists()
    log = (odd_vault / ".echo/state/schedule.log").read_text(encoding="utf-8")
    assert "wrote memory/weekly/2026-W48.md" in log
    assert "synthesize: " in git(odd_vault, "log", "--format=%s")


def test_without_the_state_directory_a_line_still_runs(bin_dir: Path, vault: Path, run: Run, world: Path) -> None:
    import shutil

    run("schedule", "install", at=vault)
    shutil.rmtree(vault / ".echo")
    command = entries(crontab(bin_dir))["decay"][1]
    done = subprocess.run(["/bin/sh", "-c", command], cwd="/", env={"HOME": str(world), "PATH": "/usr/bin:/bin"},
                          check=False)  # fmt: skip
    assert done.returncode == 0
    assert git(vault, "status", "--porcelain") == ""


def test_two_vaults_have_a_block_each_and_a_moved_program_is_brought_up_to_date(
    bin_dir: Path, vault: Path, odd_vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("schedule", "install", at=vault)
    run("schedule", "install", at=odd_vault)
    assert crontab(bin_dir).count("# >>> echo-notes ") == 2
    monkeypatch.setattr(sys, "argv", ["pytest"])
    run("schedule", "install", at=vault)
    assert crontab(bin_dir).count("# >>> echo-notes ") == 2
    run("schedule", "remove", at=vault)
    assert crontab(bin_dir).count("# >>> echo-notes ") == 1
    assert str(odd_vault) in crontab(bin_dir)


def test_a_damaged_block_is_not_guessed_at(bin_dir: Path, vault: Path, run: Run) -> None:
    run("schedule", "install", at=vault)
    damaged = crontab(bin_dir).replace("# <<<", "# ")
    (bin_dir / "crontab.txt").write_text(damaged, encoding="utf-8")
    for verb in ("install", "remove", "show"):
        assert run("schedule", verb, at=vault).status == 5
    assert crontab(bin_dir) == damaged


def test_dry_run_and_show_change_nothing(bin_dir: Path, vault: Path, run: Run) -> None:
    ran = run("schedule", "install", "--dry-run", at=vault)
    assert "+*/30 * * * * " in ran.out
    shown = run("schedule", "show", at=vault)
    assert "0 18 * * 0 " in shown.out
    assert "not installed" in shown.err
    assert not (bin_dir / "crontab.txt").exists()
    run("schedule", "install", at=vault)
    found = json.loads(run("schedule", "show", "--json", at=vault).out)
    assert (found["installed"], found["text"]) == (True, crontab(bin_dir))


def test_without_crontab_the_error_names_the_other_way(
    bin_dir: Path, vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bin_dir / "bin/crontab").unlink()
    links = bin_dir / "links"
    links.mkdir()
    (links / "git").symlink_to(
        subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    )
    monkeypatch.setenv("PATH", str(links))
    ran = run("schedule", "install", at=vault)
    assert ran.status == 3
    assert "--systemd" in ran.err
    shown = run("schedule", "show", at=vault)
    assert f"PATH={links}:/usr/bin:/bin" in shown.out


def test_systemd_timers_catch_up_and_hold_odd_paths(bin_dir: Path, odd_vault: Path, run: Run, world: Path) -> None:
    assert run("schedule", "install", "--systemd", at=odd_vault).status == 0
    folder = world / ".config/systemd/user"
    timers = sorted(folder.glob("*.timer"))
    assert [path.stem.rpartition("-")[2] for path in timers] == ["decay", "heartbeat", "synthesize"]
    assert all("\nPersistent=true\n" in path.read_text(encoding="utf-8") for path in timers)
    assert "OnCalendar=Sun *-*-* 18:00:00" in timers[2].read_text(encoding="utf-8")
    service = timers[0].with_suffix(".service").read_text(encoding="utf-8")
    line = next(line for line in service.splitlines() if line.startswith("ExecStart="))
    quoted = line.removeprefix('ExecStart=/bin/sh -c "').removesuffix('"')
    command = quoted.replace("%%", "%").replace("$$", "$").replace('\\"', '"').replace("\\\\", "\\")
    done = subprocess.run(["/bin/sh", "-c", command], cwd="/", env={"HOME": str(world), "PATH": "/usr/bin:/bin"},
                          check=False)  # fmt: skip
    assert done.returncode == 0
    said = (bin_dir / "systemctl.txt").read_text(encoding="utf-8").splitlines()
    assert said[0] == "--user daemon-reload"
    assert said[1].startswith("--user enable --now echo-notes-")
    assert run("schedule", "install", "--systemd", at=odd_vault).out == "nothing to do: already in the systemd timers\n"
    assert run("schedule", "remove", "--systemd", at=odd_vault).status == 0
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("bin_dir")
def test_status_says_when_each_pass_last_ran_and_what_is_overdue(vault: Path, run: Run) -> None:
    assert "decay" not in run("status", at=vault).out
    run("decay", at=vault, now="2026-11-30T04:00:00+00:00")
    assert "decay: last ran 2026-11-30 04:00\n" in run("status", at=vault, now="2026-12-01T20:00:00+00:00").out
    late = run("status", at=vault, now="2026-12-02T05:00:00+00:00").out
    assert "decay: last ran 2026-11-30 04:00; overdue" in late
    assert "synthesize" not in late
    run("schedule", "install", at=vault, now="2026-12-02T05:00:00+00:00")
    found = json.loads(run("status", "--json", at=vault, now="2026-12-11T05:00:00+00:00").out)["passes"]
    assert {one["name"]: one["overdue"] for one in found if one["overdue"]} == {
        "heartbeat": True, "decay": True, "synthesize": True,
    }  # fmt: skip
    run("schedule", "remove", at=vault)
    found = json.loads(run("status", "--json", at=vault, now="2026-12-11T05:00:00+00:00").out)["passes"]
    assert [one["name"] for one in found if one["overdue"]] == ["decay"]


def test_a_log_that_has_grown_is_put_aside(vault: Path, run: Run) -> None:
    log = vault / ".echo/state/schedule.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"x" * 1_000_001)
    run("decay", at=vault)
    assert not log.exists()
    assert log.with_name("schedule.old.log").stat().st_size == 1_000_001
