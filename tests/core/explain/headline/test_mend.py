"""What is advised while a failure of the summary model stands."""

from __future__ import annotations

from core.explain.headline.mend import mend_first
from core.model.finding import COMPRESS_NOW, Headline


def test_a_refused_key_is_mended_before_another_compress_is_advised() -> None:
    error = "Error code: 401 - invalid x-api-key"
    near = Headline("Past the limit.", COMPRESS_NOW)
    assert str(mend_first(near, error).remedy).startswith("Set the API key")
    other = Headline("Not due.", "Wait.")
    assert mend_first(other, error) == other
