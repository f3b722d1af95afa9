"""List, details, estimate and the rows not read yet agree on whether a message holds an image."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.compress.pruning.shrink import has_images
from core.compress.sizing.estimate import image_count
from core.hermes.policy.policy import load_policy
from core.model.transcript.message import Message, stored_image
from inspector.widgets.messages.detail_pane import Detail
from inspector.widgets.messages.message_line import message_row
from tests.inspector.widgets.messages.test_detail_pane import text_of

_TEXT = {"type": "text", "text": "see"}


@pytest.mark.parametrize(
    ("content", "held"),
    [
        ([_TEXT, {"type": "image_url", "image_url": {"url": "data:"}}], True),
        ([{"type": "text", "text": "x" * 5_000}, {"type": "image", "source": {}}], True),
        ({"_multimodal": True, "content": [{"type": "image", "source": {}}]}, True),
        ([{"type": "text", "text": 'an "image", of {"type": "image"}'}], False),
        ([_TEXT, {"type": "image_file_ref", "path": "/a.png"}], False),
        ("an image", False),
    ],
)
def test_every_view_says_the_same_of_images(content: Any, held: bool) -> None:
    message = Message({"role": "tool", "content": content})
    assert bool(image_count(message.wire, load_policy("0.22").estimate)) is held
    assert has_images(message) is held
    assert message_row(0, message, None, 1).preview.images is held
    assert ("▣ 1 image" in text_of(Detail(0, message))) is held
    assert stored_image(json.dumps(content)) is held
