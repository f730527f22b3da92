"""An OpenAI-compatible chat server for tests, a process of its own on 127.0.0.1: it answers, or misbehaves, as told.

python -m tests.llm_server PLAN LOG. PLAN is JSON, read again for every request: {"mode": …, "answers": {name: text}}.
The port is printed on the first line; every request is one JSON line in LOG. It ends with its standard input, and after
a minute in any case.
"""

import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LIMIT_SECONDS = 60.0
HUGE = 5_000_000


class Server(ThreadingHTTPServer):
    """Knows its plan and its log, and how to wake a request that stalls."""

    daemon_threads = True

    def __init__(self, plan: Path, log: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = plan
        self.log = log
        self.over = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One request: logged, then answered by the plan's mode."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = json.loads(body)
        line = {"path": self.path, "authorization": self.headers.get("Authorization"), "body": asked}
        with self.server.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        plan = json.loads(self.server.plan.read_text(encoding="utf-8"))
        mode = plan.get("mode", "answer")
        self.close_connection = True
        getattr(self, f"_{mode}", self._answer)(plan, asked)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keep standard error clean."""

    def _answer(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:
        self._send(200, _chat(plan["answers"].get(_name(asked), "{}")))

    def _stall(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:  # noqa: ARG002 - every mode is called alike
        self.server.over.wait(LIMIT_SECONDS)

    def _trickle(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:  # noqa: ARG002
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.server.over.wait(0.1):
            self.wfile.write(b" ")

    def _cut(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:
        data = _chat(plan["answers"].get(_name(asked), "{}"))
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])

    def _garbage(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:  # noqa: ARG002
        self._send(200, b"\x00\xff\xfe<html>" + os.urandom(200))

    def _huge(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:  # noqa: ARG002
        self._send(200, _chat("x" * HUGE))

    def _fail(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:  # noqa: ARG002
        self._send(500, b'{"error": {"message": "sk-live-REFLECTED key and prompt"}}')

    def _busy(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:
        lines = self.server.log.read_text(encoding="utf-8").count("\n")
        if plan.get("once") and lines > 1:
            self._answer(plan, asked)
        else:
            self._send(429, b"{}", {"Retry-After": "0"})

    def _old(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:
        """Know no response_format, as older servers."""
        if "response_format" in asked:
            self._send(400, b'{"error": "unknown field response_format"}')
        else:
            self._answer(plan, asked)

    def _redirect(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:
        if self.path.startswith("/elsewhere"):
            self._answer(plan, asked)
        else:
            self._send(307, b"", {"Location": "/elsewhere/chat/completions"})

    def _empty(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:  # noqa: ARG002
        self._send(200, b'{"choices": [{"message": {"content": null, "refusal": "no"}}]}')

    def _mirror(self, plan: dict[str, Any], asked: dict[str, Any]) -> None:
        """Put the key that came with the request into every answer."""
        key = str(self.headers.get("Authorization", "")).removeprefix("Bearer ")
        self._send(200, _chat(plan["answers"].get(_name(asked), "{}").replace("{key}", key)))

    def _send(self, status: int, data: bytes, head: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (head or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _chat(content: str) -> bytes:
    return json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}]}).encode()


def _name(asked: dict[str, Any]) -> str:
    """Return the name of the question, from its schema or from the fields that its instructions ask for."""
    offered = asked.get("response_format", {}).get("json_schema", {}).get("name")
    system = str(asked["messages"][0]["content"])
    field = re.search(r'\{"(\w+)": \[', system)
    names = {"summary": "session", "facts": "notes", "pairs": "pairs", "sentences": "overview"}
    return str(offered or names.get(field[1] if field else "", ""))


def main(plan: str, log: str) -> None:
    """Serve until standard input ends, or the time is over."""
    server = Server(Path(plan), Path(log))
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    watcher = threading.Thread(target=sys.stdin.read, daemon=True)
    watcher.start()
    watcher.join(LIMIT_SECONDS)
    server.over.set()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main(*sys.argv[1:])
