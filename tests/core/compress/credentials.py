"""Credentials of many kinds, made up at random, and messages that hold them in every field."""

from __future__ import annotations

import json
import random
import string

from core.model.transcript.message import Message

ALNUM = string.ascii_letters + string.digits
HEX = string.digits + "abcdef"


def token(rng: random.Random, length: int, alphabet: str = ALNUM) -> str:
    """A random token that surely holds a lower-case letter, an upper-case letter and a digit."""
    body = "".join(rng.choice(alphabet) for _ in range(length - 3))
    return body + ("a7f" if alphabet == HEX else "aZ7")


def planted(kind: str, rng: random.Random) -> tuple[str, str]:
    """A text holding a credential of a kind, and the secret part of it."""
    t = token(rng, 36)
    forms = {
        "openai": f"key sk-proj-{t}",
        "anthropic": f"use sk-ant-api03-{t}-AA",
        "github": f"git clone https://x:ghp_{t}@github.com/o/r",
        "github-fine": f"github_pat_11AA_{t}",
        "gitlab": f"glpat-{t[:20]}",
        "aws-id": f"AKIA{token(rng, 16, string.ascii_uppercase + string.digits).upper()}",
        "aws-secret": f"aws_secret_access_key = {t}/+ab",
        "google": f"AIza{t[:35]}",
        "slack": f"xoxb-1234567890-{t}",
        "stripe": f"sk_live_{t[:24]}",
        "telegram": f"https://api.telegram.org/bot1234567890:AA{t[:33]}/getMe",
        "huggingface": f"hf_{t}",
        "npm": f"//registry.npmjs.org/:_authToken=npm_{t}",
        "pypi": f"pypi-AgEIcHlwaS5vcmc{t}",
        "sendgrid": f"SG.{t[:22]}.{t}",
        "twilio": f"SK{token(rng, 32, HEX)}",
        "bearer": f"curl -H 'Authorization: Bearer {t}'",
        "basic": f"Authorization: Basic {t}==",
        "env": f"export DB_PASSWORD={t}",
        "json": json.dumps({"client_secret": t}),
        "yaml": f"database:\n  password: {t}\n  port: 5432",
        "toml": f'api_key = "{t}"',
        "postgres": f"postgresql://admin:{t}@db.example.org:5432/app",
        "redis": f"redis://:{t}@cache:6379/0",
        "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{t}.{t}",
        "cookie": f"Cookie: sid={t}; theme=dark",
        "azure": f"DefaultEndpointsProtocol=https;AccountName=n;AccountKey={t}==;EndpointSuffix=core",
        "webhook": f"https://hooks.slack.com/services/T0000/B0000/{t[:24]}",
        "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{t}{t}\n{t}\n-----END RSA PRIVATE KEY-----",
        "sas": f"https://a.blob.core.windows.net/c?sv=2022&sig={t}%3D",
        "flag": f"deploy --token {t} --verbose",
        "prose": f"the access token you need is {t}.",
        "discord": f"{'MTE' + token(rng, 21)}.{token(rng, 6)}.{t[:30]}",
        "header": f"x-api-key: {t}",
        "tag": f"<password>{t}</password>",
        "pair": f'{{"name": "API_TOKEN", "value": "{t}"}}',
    }
    text = forms[kind]
    secrets = {
        "github": f"ghp_{t}",
        "gitlab": t[:20],
        "google": t[:35],
        "stripe": t[:24],
        "telegram": t[:33],
        "webhook": t[:24],
        "discord": t[:30],
    }
    whole = {"aws-id", "twilio"}
    return text, text if kind in whole else secrets.get(kind, t)


KINDS = (
    *("openai", "anthropic", "github", "github-fine", "gitlab", "aws-id", "aws-secret", "google", "slack"),
    *("stripe", "telegram", "huggingface", "npm", "pypi", "sendgrid", "twilio", "bearer", "basic", "env"),
    *("json", "yaml", "toml", "postgres", "redis", "jwt", "cookie", "azure", "webhook", "private-key", "sas"),
    *("flag", "prose", "discord", "header", "tag", "pair"),
)


def message_with(field: str, text: str) -> Message:
    """A message with a text in one of its fields."""
    half = len(text) // 2
    wires: dict[str, dict[str, object]] = {
        "content": {"role": "tool", "content": text},
        "parts": {"role": "user", "content": [{"type": "text", "text": text}, {"type": "text", "text": "x"}]},
        "split": {"role": "user", "content": [{"type": "text", "text": text[:half]}, {"text": text[half:]}]},
        "arguments": {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "function": {"name": "terminal", "arguments": json.dumps({"command": text})}}
            ],
        },
        "escaped": {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c1",
                    "function": {"name": "t", "arguments": "".join(f"\\u{ord(c):04x}" for c in text)},
                }
            ],
        },
        "reasoning": {"role": "assistant", "content": "", "reasoning": text, "reasoning_content": text},
        "details": {"role": "assistant", "reasoning_details": [{"type": "thinking", "thinking": text}]},
        "codex": {"role": "assistant", "codex_reasoning_items": [{"summary": [{"text": text}]}]},
        "api_content": {"role": "user", "content": "x", "api_content": text},
        "multimodal": {"role": "tool", "content": {"_multimodal": True, "text_summary": text}},
    }
    wire = wires[field]
    if field == "escaped":
        call = wire["tool_calls"][0]["function"]  # type: ignore[index]
        call["arguments"] = f'{{"command": "{call["arguments"]}"}}'
    return Message(wire)


FIELDS = (
    "content",
    "parts",
    "split",
    "arguments",
    "escaped",
    "reasoning",
    "details",
    "codex",
    "api_content",
    "multimodal",
)
