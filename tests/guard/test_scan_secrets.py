"""Credentials are recognised by shape or entropy; digests, ids, numbers and prose are not."""

import pytest

from echo_notes.guard.scan import scan_text

A36 = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("AKIAIOSFODNN7EXAMPLE", "secret-aws"),
        (f"AIza{A36[:35]}", "secret-google"),
        (f"ghp_{A36}", "secret-github"),
        ("xoxb-" + "123456789012-abcdefGHIJKL", "secret-slack"),
        (f"sk-proj-{A36}", "secret-openai"),
        (f"sk-ant-api03-{A36}", "secret-openai"),
        (f"sk_live_{A36[:24]}", "secret-stripe"),
        (f"AccountKey={A36}{A36}==", "secret-azure"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fw", "secret-jwt"),
        ("-----BEGIN RSA PRIVATE KEY-----", "secret-private-key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "secret-private-key"),
        ("postgres://ada:Tr0ub4dor@db.example/app", "secret-url"),
        ("password = x9$Kq2!vLm7p", "secret-assignment"),
        ("API_KEY: 8fJ2kd93Lsm20xQpz", "secret-assignment"),
        ("wifi 密码：Xk29dLq8mZ", "secret-assignment"),
        ("my bank password is Tr0ub4dor&3x", "secret-assignment"),
    ],
)
def test_credentials_are_found_and_not_repeated(text: str, rule: str) -> None:
    found = {one.rule: one for one in scan_text(f"note: {text}")}
    assert rule in found
    assert found[rule].reason == "secret"
    assert A36 not in found[rule].message


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2a91c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0",
        "token count: 123456789012",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "call +49 30 123456789 or 13800138000",
        "https://user@example.com/path?token=next",
        "password: ********",
        "password = <your password>",
        "API_KEY=${API_KEY}",
        "the secret: practice makes perfect",
        "password is in the vault",
        "key: employer",
        "token: authentication",
        "密码是生日",
        "sk-learn and task-oriented",
        "-----BEGIN PUBLIC KEY-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ada@laptop",
    ],
)
def test_what_only_looks_like_one_passes(text: str) -> None:
    assert scan_text(text) == ()
