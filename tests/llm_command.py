"""A language model's command for tests: answers from a plan, or misbehaves as told.

python tests/llm_command.py PLAN LOG. PLAN is JSON: {"mode": "answer|stall|fail|garbage|huge|orphan", "answers": {…}}.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

STALL_SECONDS = 60


def main(plan_path: str, log_path: str) -> int:
    """Answer once."""
    plan = json.loads(Path(plan_path).read_text(encoding="utf-8"))
    prompt = sys.stdin.read()
    with Path(log_path).open("a", encoding="utf-8") as log:
        entry = {"prompt": prompt, "cwd": str(Path.cwd()), "actor": os.environ.get("ECHO_ACTOR"), "pid": os.getpid()}
        log.write(json.dumps(entry) + "\n")
    mode = plan["mode"]
    if mode == "stall":
        time.sleep(STALL_SECONDS)
    if mode == "orphan":
        # A child that holds the output open after its parent has ended.
        child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({STALL_SECONDS})"])
        Path(f"{log_path}.child").write_text(str(child.pid), encoding="utf-8")
        return 0
    if mode == "garbage":
        sys.stdout.buffer.write(b"\xff\xfe not JSON \x00")
        return 0
    if mode == "huge":
        sys.stdout.write("x" * 5_000_000)
        return 0
    field = re.search(r'\{"(\w+)": \[', prompt)
    names = {"summary": "session", "facts": "notes", "pairs": "pairs", "sentences": "overview"}
    sys.stdout.write(plan["answers"].get(names.get(field[1] if field else "", ""), "{}"))
    return 3 if mode == "fail" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
