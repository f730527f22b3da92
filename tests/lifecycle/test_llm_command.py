"""The language model as a program of the person's own: no shell, no vault folder, no process left behind."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Ran
from tests.lifecycle.llm_world import Llm, records

TALK = "User: Ada is allergic to peanuts.\nUser: Turns out Ada keeps bees on the roof.\n"
GOOD = {
    "summary": [{"text": "Ada keeps bees on the roof.", "sources": [2]}],
    "facts": [{"source": 2, "quote": "Turns out Ada keeps bees on the roof.", "entity": "people/ada",
               "text": "Ada keeps bees on the roof", "category": "status"}],
}  # fmt: skip


@pytest.fixture
def llm(vault: Path, tmp_path: Path, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Llm:
    world = Llm(vault, tmp_path, run)
    monkeypatch.setenv("ECHO_CONFIG", str(tmp_path / "config.yaml"))
    script = [sys.executable, str(ROOT / "tests/llm_command.py"), str(tmp_path / "plan.json"), str(tmp_path / "log")]
    world.configure(command=shlex.join(script), timeoutSeconds=1)
    world.talk(TALK)
    return world


def learnt(llm: Llm) -> list[str]:
    return [fact["fact"] for fact in records(llm.vault).values() if fact.get("sourceSession")]


def test_the_program_gets_the_prompt_and_its_answer_counts(llm: Llm, world: Path) -> None:
    llm.configure(command=(llm.folder / "config.yaml").read_text(encoding="utf-8").split('"')[1], timeoutSeconds=20)
    llm.answers(session=GOOD)
    ran = llm("consolidate", "--json")
    assert json.loads(ran.out)["degraded"] == []
    assert learnt(llm) == ["Ada is allergic to peanuts", "Ada keeps bees on the roof"]
    [asked] = llm.asked()
    assert "> Turns out Ada keeps bees on the roof." in asked["prompt"]
    assert '"maxItems": 12' in asked["prompt"], "the schema goes along"
    assert Path(asked["cwd"]) == world, "the person's home, where no file of a vault can be meant"
    assert asked["actor"] == "agent", "what it writes through this program ranks as a program's"


@pytest.mark.parametrize("mode", ["stall", "fail", "garbage", "huge", "orphan"])
def test_one_that_misbehaves_costs_no_more_than_the_rules_result(llm: Llm, mode: str) -> None:
    llm.answers(mode, session=GOOD)
    ran = llm("consolidate", "--json")
    assert ran.status == 0, ran.err
    assert len(json.loads(ran.out)["degraded"]) == 1
    assert learnt(llm) == ["Ada is allergic to peanuts"]
    for asked in llm.asked():
        assert _is_gone(asked["pid"])
    child = llm.folder / "log.child"
    assert not child.exists() or _is_gone(int(child.read_text(encoding="utf-8"))), "its whole group is killed"


@pytest.mark.parametrize("command", ["no-such-program-at-all --now", "'unfinished", "./run.sh", "true"])
def test_a_command_that_is_none_is_told(llm: Llm, command: str) -> None:
    (llm.vault / "run.sh").write_text(f"#!/bin/sh\ntouch {llm.folder}/touched\n", encoding="utf-8")
    (llm.vault / "run.sh").chmod(0o755)
    llm.configure(command=command)
    ran = llm("consolidate", "--json")
    assert ran.status == 0, ran.err
    assert len(json.loads(ran.out)["degraded"]) == 1
    assert learnt(llm) == ["Ada is allergic to peanuts"]
    assert not (llm.folder / "touched").exists()


def test_no_shell_reads_the_command(llm: Llm) -> None:
    llm.configure(command=f"echo hello; touch {llm.folder}/touched $(touch {llm.folder}/touched)")
    assert llm("consolidate").status == 0
    assert not (llm.folder / "touched").exists()


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
        return True  # dead, and waiting for its parent's parent
    os.kill(pid, signal.SIGKILL)
    return False
