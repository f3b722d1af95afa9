"""A value right after the name of a secret, as in settings files."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text

SECRET = "harbour2004"


@pytest.mark.parametrize(
    "line",
    [
        f"BINDPW {SECRET}",
        f'AuthLDAPBindPassword "{SECRET}"',
        f"fastcgi_param DB_PASS {SECRET};",
        f"spark.ssl.keyPassword      {SECRET}",
        f"neighbor 10.0.0.1 password {SECRET}",
    ],
)
def test_it_is_masked(line: str) -> None:
    before, _, behind = f"# settings\n{line}\nport 80".partition(SECRET)
    masked = redact_text(f"# settings\n{line}\nport 80")
    assert SECRET not in masked
    assert masked.startswith(f"{before}[redacted:")
    assert masked.endswith(f"]{behind}")


@pytest.mark.parametrize(
    "line",
    [
        "3. **Secret Differences**",
        "pattern-based secret redaction:",
        "// Pass source= to git",
        "password 12:30",
    ],
)
def test_words_and_times_stay(line: str) -> None:
    assert redact_text(f"{line}\nport 80") == f"{line}\nport 80"
