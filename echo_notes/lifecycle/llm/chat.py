"""`llm.url`: an OpenAI-compatible chat endpoint, asked over HTTP(S) without proxy, redirect or cookie."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from echo_notes.lifecycle.llm.model import MOST_BYTES, LlmError, Question

_PIECE = 65536
_OK = 200
_NOT_OFFERED = frozenset([400, 404, 415, 422])
_THIS_ONE = frozenset([400, 413, 422])
_BUSY = frozenset([429, 503])
_UNSENT = frozenset(["maxLength", "maxItems", "minItems", "minLength", "minimum", "maximum"])


@dataclass(slots=True)
class _Call:
    """One exchange in its thread: what it needs, and what came of it."""

    connection: HTTPConnection
    path: str
    body: bytes
    headers: Mapping[str, str]
    status: int = 0
    retry_after: str = ""
    data: bytes = b""
    problem: str = ""
    too_long: bool = False

    def run(self) -> None:
        """Send and receive; every failure becomes words that quote nothing of either."""
        try:
            self.connection.request("POST", self.path, self.body, dict(self.headers))
            with self.connection.getresponse() as response:
                self.status = response.status
                self.retry_after = response.headers.get("Retry-After", "")
                self._receive(response)
        except Exception as error:  # noqa: BLE001 - a connection that is cut under it fails in any way it likes
            self.problem = type(error).__name__
        finally:
            self.connection.close()

    def _receive(self, response: HTTPResponse) -> None:
        pieces = []
        size = 0
        while piece := response.read1(_PIECE):
            size += len(piece)
            if size > MOST_BYTES:
                self.too_long = True
                return
            pieces.append(piece)
        if response.length:
            raise HTTPException
        self.data = b"".join(pieces)


@dataclass(slots=True)
class ChatModel:
    """Asks `…/chat/completions`; the answer's schema is sent along until the server says that it does not take one."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    plain: bool = False

    @classmethod
    def parse(cls, url: str, model: str, key: str) -> "ChatModel":
        """Return the model behind a base address (`http://localhost:11434/v1`) or the endpoint itself."""
        try:
            parts = urlsplit(url)
            known = (
                parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
            )
        except ValueError:
            known = False
        if not known:
            raise LlmError("llm.url is not a web address")
        ended = url if parts.path.rstrip("/").endswith("/chat/completions") else f"{url.rstrip('/')}/chat/completions"
        return cls(ended, model, key)

    def answer(self, question: Question, *, seconds: float) -> str:
        """Return the text of the first choice; LlmError if it does not come whole within that time."""
        ends_at = monotonic() + seconds
        call = _Call(self._connect(seconds), self._path(), self._body(question), self._headers())
        worker = Thread(target=call.run, daemon=True)
        worker.start()
        worker.join(max(0.0, ends_at - monotonic()))
        if worker.is_alive():
            _hang_up(call.connection)
            worker.join(1.0)
            raise LlmError(f"llm.url did not answer within {seconds:g} s")
        self._check(call)
        return _content(call.data)

    def _check(self, call: _Call) -> None:
        if call.problem:
            raise LlmError(f"llm.url broke off or cannot be reached ({call.problem})")
        if call.status in _BUSY:
            wait = float(call.retry_after) if call.retry_after.isdecimal() else 0.0
            raise LlmError(f"llm.url is busy (HTTP {call.status})", wait=wait)
        if call.status in _NOT_OFFERED and not self.plain:
            self.plain = True  # an older server refuses what it does not know; the retry goes without it
        if call.status != _OK:
            raise LlmError(f"llm.url answered HTTP {call.status}", lasting=call.status not in _THIS_ONE)
        if call.too_long:
            raise LlmError(f"llm.url answered with more than {MOST_BYTES} bytes", lasting=False)

    def _connect(self, seconds: float) -> HTTPConnection:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=seconds)

    def _path(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    def _headers(self) -> dict[str, str]:
        head = {"Content-Type": "application/json", "Accept": "application/json"}
        return head | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def _body(self, question: Question) -> bytes:
        schema = json.dumps(question.schema, ensure_ascii=False)
        system = f"{question.instructions}\n\nThe JSON schema of your answer:\n{schema}"
        body: dict[str, Any] = {
            "model": self.model, "stream": False,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": question.material}],
        }  # fmt: skip
        if not self.plain:
            offered = {"name": question.name, "strict": True, "schema": _without_limits(question.schema)}
            body |= {"temperature": 0, "response_format": {"type": "json_schema", "json_schema": offered}}
        return json.dumps(body).encode()


def _without_limits(schema: Any) -> Any:
    """Return a schema without the limits that servers do not all take; ours are checked here in any case."""
    if isinstance(schema, Mapping):
        return {name: _without_limits(part) for name, part in schema.items() if name not in _UNSENT}
    return [_without_limits(part) for part in schema] if isinstance(schema, list) else schema


def _content(data: bytes) -> str:
    try:
        content = json.loads(data)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise LlmError("llm.url did not answer as a chat endpoint does", lasting=False) from None
    if not isinstance(content, str):
        raise LlmError("llm.url answered without a text", lasting=False)
    return content


def _hang_up(connection: HTTPConnection) -> None:
    """Cut the connection under the thread that waits on it, so that it ends."""
    from socket import SHUT_RDWR

    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(SHUT_RDWR)
