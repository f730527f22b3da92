"""The audit trail: append-only JSON lines, one chained file a month and clone, for writes allowed and refused."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from echo_notes.files.layout import AUDIT_DIR
from echo_notes.files.records import digest_record
from echo_notes.guard.provenance import rank, vouched_label
from echo_notes.model.fact import Fact

_DIGEST_CHARS = 64
_FEW = 32
_TARGET = re.compile(rb'"target":("(?:[^"\\\n]|\\.)*")')


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One write, allowed or refused. `digest` is of the fact record as written, or of the refused text."""

    at: str
    actor: str
    path: str
    op: str
    target: str
    type: str = ""
    provenance: str = ""
    digest: str = ""
    ok: bool = True
    reason: str = ""
    seq: int = 0
    prev: str = ""

    def dump(self) -> bytes:
        """Return the line as bytes, newline included, keys in the order of the format."""
        record = {
            "seq": self.seq, "prev": self.prev, "at": self.at, "actor": self.actor, "path": self.path, "op": self.op,
            "target": self.target, "type": self.type, "provenance": self.provenance, "digest": self.digest,
            "ok": self.ok, "reason": self.reason,
        }  # fmt: skip
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def audit_path(moment: datetime, writer: str) -> str:
    """Return the file that a clone's writer appends to in this month."""
    return f"{AUDIT_DIR}/{moment:%Y-%m}.{writer}.jsonl"


def chain(lines: Iterable[AuditLine], before: bytes) -> bytes:
    """Return the lines as bytes, numbered and chained to the last line of `before`."""
    last = before.rstrip(b"\n").rpartition(b"\n")[2] if before.strip() else b""
    seq = _sequence(last)
    prev = line_digest(last) if last else ""
    out = []
    for line in lines:
        seq += 1
        data = replace(line, seq=seq, prev=prev).dump()
        prev = line_digest(data)
        out.append(data)
    return b"".join(out)


def line_digest(line: bytes) -> str:
    """Return the digest by which the next line names this one."""
    return sha256(line.rstrip(b"\n")).hexdigest()


def _sequence(line: bytes) -> int:
    try:
        return int(json.loads(line)["seq"]) if line else 0
    except (ValueError, KeyError, TypeError):
        return 0


class AuditTrail:
    """Everything the audit files of a vault say, read on demand."""

    def __init__(self, root: Path) -> None:
        self._dir = root / AUDIT_DIR
        self._blobs: list[bytes] | None = None
        self._asked = 0
        self._places: dict[bytes, list[tuple[int, int]]] = {}

    def _load(self) -> list[bytes]:
        if self._blobs is None:
            self._blobs = (
                [path.read_bytes() for path in sorted(self._dir.glob("*.jsonl"))] if self._dir.is_dir() else []
            )
        return self._blobs

    def label_of(self, fact_id: str, digest: str) -> str | None:
        """Return the provenance with which the gate wrote exactly this record of the fact, None if it never did."""
        label = None
        for line in self._about(fact_id):
            if line["ok"] and line["digest"] == digest:
                label = str(line.get("provenance", ""))
        return label

    def knows(self, fact_id: str) -> bool:
        """Return whether the gate ever wrote this fact."""
        return any(line["ok"] and line["digest"] for line in self._about(fact_id))

    def times_written(self, fact_id: str) -> int:
        """Return how often the gate wrote this fact."""
        return sum(1 for line in self._about(fact_id) if line["ok"] and line["digest"])

    def refused_before(self, digest: str, path: str, op: str) -> bool:
        """Return whether the same refusal of the same text is on record already."""
        return any(
            not line["ok"] and line["digest"] == digest and line["path"] == path and line["op"] == op
            for line in self._lines_with(f'"digest":"{digest}"')
        )

    def highest_number(self, slug: str) -> int:
        """Return the highest NNN ever given to a fact id `<slug>-NNN`, 0 if none."""
        highest = 0
        prefix = slug + "-"
        for line in self._lines_with(f'"target":{json.dumps(prefix, ensure_ascii=False)[:-1]}'):
            number = str(line["target"])[len(prefix) :]
            if number.isdecimal():
                highest = max(highest, int(number))
        return highest

    def iter_lines(self) -> Iterator[dict[str, Any]]:
        """Yield every readable line, file by file."""
        for blob in self._load():
            for line in blob.splitlines():
                if parsed := _parse(line):
                    yield parsed

    def labels(self, digests: Collection[str] | None = None) -> dict[tuple[str, str], str]:
        """Return the label of every (fact id, record digest) that the gate wrote; of these digests only, if given."""
        lines = self.iter_lines() if digests is None else self._with_digests(digests)
        written = (line for line in lines if line["ok"] and line["digest"])
        return {(line["target"], line["digest"]): str(line.get("provenance", "")) for line in written}

    def vouch(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Return the facts with the labels that readers are shown: `legacy` where the trail does not know the record.

        Its standing towards writers is another matter: see `Change.standing_of`.
        """
        listed = tuple(facts)
        digests = {number: digest_record(fact.record) for number, fact in enumerate(listed) if rank(fact.provenance)}
        if not digests:
            return listed
        labels = self.labels(frozenset(digests.values()))
        return tuple(
            replace(fact, provenance=vouched_label(labels.get((fact.id, digests[number]))))
            if number in digests
            else fact
            for number, fact in enumerate(listed)
        )

    def _with_digests(self, digests: Collection[str]) -> Iterator[dict[str, Any]]:
        """Yield the lines that have one of the digests; a million lines are passed over without being parsed."""
        field = b'"digest":"'
        wanted = {digest.encode() for digest in digests}
        for blob in self._load():
            for line in blob.splitlines():
                at = line.find(field) + len(field)
                if line[at : at + _DIGEST_CHARS] in wanted and (parsed := _parse(line)):
                    yield parsed

    def _about(self, target: str) -> Iterator[dict[str, Any]]:
        """Yield the lines about a target; the first few are searched for, then it pays to know where all are."""
        self._asked += 1
        needle = json.dumps(target, ensure_ascii=False)
        if self._asked <= _FEW:
            yield from self._lines_with(f'"target":{needle}')
            return
        if not self._places:
            for number, blob in enumerate(self._load()):
                for match in _TARGET.finditer(blob):
                    self._places.setdefault(match[1], []).append((number, match.start()))
        for number, at in self._places.get(needle.encode("utf-8", "surrogatepass"), ()):
            if parsed := _line_at(self._load()[number], at):
                yield parsed

    def _lines_with(self, text: str) -> Iterator[dict[str, Any]]:
        needle = text.encode()
        for blob in self._load():
            at = blob.find(needle)
            while at >= 0:
                if parsed := _line_at(blob, at):
                    yield parsed
                end = blob.find(b"\n", at)
                at = blob.find(needle, end) if end >= 0 else -1


def broken_chains(root: Path) -> Iterator[tuple[str, int, str]]:
    """Yield (path, line number, what is wrong) for every audit line that does not follow from the one before."""
    for path in sorted((root / AUDIT_DIR).glob("*.jsonl")):
        prev, seq = "", 0
        for number, raw in enumerate(path.read_bytes().splitlines(), 1):
            line = _parse(raw)
            if line is None:
                yield path.relative_to(root).as_posix(), number, "is not a JSON object"
            elif line.get("prev") != prev or line.get("seq") != seq + 1:
                yield path.relative_to(root).as_posix(), number, "does not follow from the line before it"
            prev, seq = line_digest(raw), seq + 1


def _line_at(blob: bytes, at: int) -> dict[str, Any] | None:
    """Return the line that a position lies in."""
    end = blob.find(b"\n", at)
    return _parse(blob[blob.rfind(b"\n", 0, at) + 1 : len(blob) if end < 0 else end])


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        parsed = json.loads(line)
    except ValueError:
        return None
    if not isinstance(parsed, dict) or "target" not in parsed:
        return None
    for name in ("digest", "path", "op", "reason"):
        parsed.setdefault(name, "")
    parsed.setdefault("ok", False)
    return parsed
