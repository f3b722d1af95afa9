"""A command's password is masked: after an option, or where its manual says."""

from __future__ import annotations

import json

import pytest

from core.redact.text import redact_text

SECRET = "harbour2004"


@pytest.mark.parametrize(
    "text",
    [
        f"tsql -S db -U bob -P {SECRET}",
        f"ncftp -u bob -p {SECRET} host",
        f"winexe -U bob%{SECRET} //host cmd",
        f"schtasks /create /ru bob /rp {SECRET}",
        f"rclone obscure {SECRET}",
        f"net use Z: \\\\nas\\exports /user:CORVINA\\jonas {SECRET} /persistent:no",
        f"networksetup -setairportnetwork en0 Guest '{SECRET}'",
        "ldappasswd -D cn=admin -s fjord.Harbour2004",
    ],
)
def test_the_password_of_a_command_is_masked_also_within_json(text: str) -> None:
    assert "arbour2004" not in redact_text(text)
    assert "arbour2004" not in redact_text(json.dumps({"command": text}))


@pytest.mark.parametrize(
    "text",
    [
        "docker compose -p shop2004 up",
        "git checkout -b fix-login-2022",
        "cargo test -p parser2",
        "curl -o Report-Final-22 http://localhost:8080",
        "ssh -p 2222 bob@host",
        "rclone obscure password",
        "git log -n 5 && unzip -d out2026 a.zip",
        "docker history --no-trunc app:run-10",
        "docker run --rm app:v2-10",
        "docker run -u 1000:group-10 app:run-10",
        "nerdctl run --rm app:run-10",
        "kubectl logs -f shop-api-7d9f8b6c5-x2x4z",
        "spark-submit --packages org.apache:spark-avro_2.12:3.5.0",
        "borg list -v backup::web-2026-11",
        "npm run -s build:prod-10",
        "dotnet test -l trx:run-10",
    ],
)
def test_names_of_projects_ports_and_plain_words_stay(text: str) -> None:
    assert redact_text(text) == text
