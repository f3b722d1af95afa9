"""Credentials never leave; everything else stays as it was."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.model.transcript.message import Message
from core.redact.known_values import KNOWN
from core.redact.message import redact_message
from core.redact.text import redact, redact_bulk, redact_text
from tests.core.compress.credentials import FIELDS, KINDS, message_with, planted
from tests.timing import assert_linear


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_credential_is_gone_bare_and_at_every_depth_of_json(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(6):
        text, secret = planted(kind, rng)
        nested = text
        for _ in range(4):
            assert secret not in redact_text(nested), nested
            assert secret not in redact_text(f"before\n{nested}\nafter"), nested
            nested = json.dumps({"output": nested})


@pytest.mark.parametrize("field", FIELDS)
def test_no_field_of_a_message_keeps_one_of_two_hundred_credentials(field: str) -> None:
    rng = random.Random(field)
    for n in range(200):
        text, secret = planted(KINDS[n % len(KINDS)], rng)
        message = message_with(field, text)
        kept = json.dumps(dict(redact_message(message).wire), ensure_ascii=False)
        assert secret not in kept, (field, text)
        if field == "split":
            assert secret[:12] not in kept or secret[-12:] not in kept, text


@pytest.mark.parametrize(
    "text",
    [
        "commit 5d41402abc4b2a76b9719d911017c592a1b2c3d4",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "session 550e8400-e29b-41d4-a716-446655440000 resumed",
        "/usr/lib/python3.11/site-packages/tokenizers/__init__.py:42",
        "max_tokens=4096, token_count: 123, tokenizer: cl100k_base",
        "def login(user: str, password: str = None) -> Token:",
        "self.password = password",
        "api_key=os.environ['OPENAI_API_KEY']",
        "const token = tokens[0]; if (!token) return next();",
        "password = get_password()",
        "client = Client(api_key=settings.api_key, password=password)",
        "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
        "AUTH_TOKEN=$TOKEN",
        "Secretary: J.Smith; author: Key West",
        "cache_key=5d41402abc4b2a76b9719d911017c592",
        "class sk-circle-fade-dot-animation",
        "task-abcdefghijkl12345678",
        "Bearer token is required",
        "the key is stored in /etc/ssl/private/key.pem",
        'ValueError: password must be at least 8 characters ("password" is missing)',
        "PRIMARY KEY (id), FOREIGN KEY (token_id) REFERENCES tokens(id)",
        "https://example.org/a/b?page=2&sort=key",
        "git@github.com:owner/repo.git",
        "ssh://git@host:22/path and http://localhost:8080/path@v2",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQ\n-----END PUBLIC KEY-----",
        "toolu_01A09q90qw90lq917835lq9 call_abc123DEF456ghi789",
        '[{"id": "toolu_016RPHqi9Xv7fhKh7CChaf32", "function": {"arguments": "{\\"file_path\\": 1}"}}]',
        "for key, value in secrets.items():",
        "if token.type == TokenType.IDENT and key not in seen:",
        "--- PASS: TestTruncateTranscript/at_u2 (0.00s)",
        '{"api_key": config.APIKey, "signature": "EtMFCkYICxgCKkAjb79EEIYXGopcZiyh"}',
        "keyboard: monkey=banana passage=3 authority=EU",
        '{"type": "password", "name": "password", "required": true}',
        "client = Client(\n    api_key=resolved_api_key,\n    aws_secret_key=self.aws_secret_key)",
        'HEX_PAT = "(?:[0-9A-Fa-f]{1,4}:){6}"',
        "the api key rotation-policy-2024-11-05-draft was agreed",
        "send an authorization: basic header",
        "\x1b[32mtoken\x1b[0m = \x1b[31mNone\x1b[0m",
        "令牌是jwt2格式, 密码是8位以上",
        "mnemonic: add sub mul div mov cmp jmp call ret push pop nop",
        "listening on 127.0.0.1:5432:db:user",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact_text(text) == text
    escaped = json.dumps({"output": text})
    assert redact_text(escaped) == escaped


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_pass_changes_nothing(kind: str) -> None:
    text, _ = planted(kind, random.Random(kind))
    once = redact_text(text)
    assert redact_text(once) == once


PIECES = st.sampled_from(
    [
        "password",
        "=",
        ": ",
        '"',
        "sk-",
        "token",
        "[redacted:jwt]",
        "abc123DEF456ghi789",
        "\n",
        "\\n",
        "://u:",
        "@h",
        " ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=24).map("".join))
@settings(max_examples=200, deadline=None)
@example("password: password= abc123DEF456ghi789")
@example("passwd: secret= abc123DEF456ghi789")
def test_redaction_is_idempotent_on_any_text(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once


def test_counts_say_what_was_taken_out() -> None:
    result = redact(
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789 and redis://:hunter2@h and redis://:swordfish1@h"
    )
    assert result.counts == {"github-token": 1, "url-password": 2}
    assert (
        result.text
        == "[redacted:github-token] and redis://:[redacted:url-password]@h and redis://:[redacted:url-password]@h"
    )


def test_a_credential_broken_by_a_line_end_or_a_string_join_is_masked_completely() -> None:
    assert "ijkl5678" not in redact_text('"sk-proj-abcd1234efgh" + "ijkl5678mnop"')
    assert "ijkl5678" not in redact_text("sk-proj-abcd1234efgh\n    ijkl5678mnop\n")


T = "u8jzPde0IgxLd6GncfBAepfJBd0KhaZ7"


@pytest.mark.parametrize(
    "text",
    [
        f"\x1b[32mDB_PASS={T}\x1b[0m",
        f"\x1b[1;31mexport STRIPE_SECRET={T}\x1b[0m",
        f"<out>machine x.org login bob password {T}</out>",
        f"localhost:5432:shop:bob:{T}",
        f'curl https://x.org --user "admin:{T}"',
        f"The API key is: {T}",
        f"密码是{T}",
        f"le mot de passe est {T}",
        f"AAAAtetOaZ7:APA91b{T}{T}{T}",
        f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n{T}{T}\n{T}\nPrivate-MAC: 0",
        f".x.org\tTRUE\t/\tTRUE\t0\tsid\t{T}",
        f'api_key = "abcd1234efgh" \\\n    "{T}"',
        f".x.org\\tTRUE\\t/\\tTRUE\\t0\\tsid\\t{T}",
        f"docker login -u bob -p {T} registry.io",
        f"ldapsearch -x -D cn=admin -w {T} -b dc=x",
        f"smbclient //host/share -U bob%{T}",
        f"lftp -u bob,{T} ftp.x.org",
        f"openssl rsa -in k.pem -passin pass:{T}",
        f"echo 'root:{T}' | sudo chpasswd",
        f"ALTER USER 'root'@'localhost' IDENTIFIED BY '{T}';",
        f"ConvertTo-SecureString '{T}' -AsPlainText -Force",
        f'form-data; name="password"\r\n\r\n{T}\r\n--b',
        f"Authorization: SSWS {T}",
        f"- **Password:** {T}",
        f"api_key: >-\n  {T}",
        f"passwords:\n  - {T}",
        f'let api_key: &str = "{T}";',
        f'public string ApiKey {{ get; set; }} = "{T}";',
        f"<key>Password</key><string>{T}</string>",
        f"nuget push a.nupkg -ApiKey {T}",
        f"keytool -storepass {T} -keystore a.jks",
        f"La contraseña es {T}",
        f"a senha é {T}",
        f"パスワードは{T}です",
        f"1→-----BEGIN EC PRIVATE KEY-----\n2→{T}{T}\n3→-----END EC PRIVATE KEY-----",
        f"a.py:3:PuTTY-User-Key-File-3: ssh-rsa\na.py:4:Private-Lines: 1\na.py:5:{T}{T}",
    ],
)
def test_a_credential_in_a_place_of_its_own_is_gone(text: str) -> None:
    clean = redact_text(text)
    assert T not in clean
    assert redact_text(clean) == clean


def test_a_seed_phrase_is_gone() -> None:
    words = "witch collapse practice feed shame open despair creek road again ice least"
    assert "collapse" not in redact_text(f'my seed phrase: "{words}"')


def test_only_ciphertext_and_pictures_are_left_as_they_are() -> None:
    picture = {"type": "base64", "media_type": "image/png", "data": f"{'iVBORw0KGgo' * 40}=="}
    document = {"type": "text", "media_type": "text/plain", "data": "DB_PASSWORD=hunter2horse"}
    message = Message({"role": "user", "content": [{"source": picture}, {"source": document}]})
    first, second = redact_message(message).wire["content"]
    assert first["source"] == picture
    assert second["source"]["data"] == "DB_PASSWORD=[redacted:secret-value]"


def test_a_clean_message_is_handed_back_itself() -> None:
    message = Message({"role": "user", "content": "hello", "timestamp": 1.5})
    assert redact_message(message) is message


@pytest.mark.parametrize(
    "unit",
    [
        "sk-",
        "eyJ",
        "token=",
        'password:"',
        "-----BEGIN RSA PRIVATE KEY-----",
        "://a:",
        "authorization:",
        "kind: Secret\ndata:\n",
        'curl -H "',
        "machine a login b ",
        "cmd -u bob -p ",
        "ab_aB3dE5fG7hI9",
        "\\",
        "1",
    ],
)
def test_the_time_grows_with_the_length_not_its_square(unit: str) -> None:
    assert_linear(redact_text, unit)


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        "sk-ant-api03-abcdefghijk1234567890",
        "AKIAIOSFODNN7ABCDEFG",
        "sk-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6",
        "glpat-a1B2c3D4e5F6g7H8i9J0",
    ],
)
def test_a_credential_inside_the_name_of_a_tool_is_gone(secret: str) -> None:
    for name in (f"mcp_{secret}", f"mcp__{secret}__run", secret):
        function = {"name": name, "arguments": "{}"}
        call = Message({"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]})
        result = Message({"role": "tool", "tool_name": name, "content": "done"})
        for message in (call, result):
            assert secret not in json.dumps(dict(redact_message(message).wire))


def test_many_texts_read_together_come_back_as_each_by_itself() -> None:
    rng = random.Random(3)
    texts = [planted(kind, rng)[0] for kind in KINDS] + ["", "plain words", "a\n\x00\nb", "x " * 40_000]
    assert redact_bulk([*texts, "plain words"]) == [*map(redact_text, texts), "plain words"]


def test_what_one_of_many_texts_gives_away_is_masked_in_the_others() -> None:
    value = "zq8Vt2mXw9Lr"
    told, bare = redact_bulk([f"DB_PASSWORD={value}", f"it answers to {value} now"])
    assert value not in told
    assert value not in bare


def test_a_text_read_before_still_loses_what_another_one_gives_away() -> None:
    value = "zq8Vt2mXw9Lr"
    bare = f"it answers to {value} now"
    KNOWN.mark_harmless([bare.encode()])
    assert redact_bulk([bare, "plain words"]) == [bare, "plain words"]
    assert value not in redact_bulk([bare, f"DB_PASSWORD={value}"])[0]
    KNOWN.learn([(value, "secret-value")])
    assert value not in redact_bulk([bare])[0]
