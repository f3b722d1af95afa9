"""What an INSERT puts into a column that is called a password is one."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (name, password) VALUES ('bob', 'Tango-99x');",
        "insert into `app`.`users` (`name`, `password`) values ('ann', 'x1-y2Zz'), ('bob', 'Tango-99x')",
        "REPLACE INTO users (password, note) VALUES ('Tango-99x', 'it''s (old), kept')",
    ],
)
def test_the_value_of_a_secret_column_is_masked_in_every_row(text: str) -> None:
    assert "Tango-99x" not in redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (name, email) VALUES ('bob', 'Tango-99x');",
        "INSERT INTO users (name, password) VALUES (?, ?), (:name, :password)",
        "INSERT INTO users (name, password) VALUES ('bob', 'Tango-99x', 'three values for two columns')",
    ],
)
def test_other_columns_parameters_and_rows_of_another_width_stay(text: str) -> None:
    assert redact_text(text) == text
