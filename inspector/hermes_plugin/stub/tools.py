"""The tools the engine offers the model."""

from __future__ import annotations

from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "name": "inspector_recall",
        "description": (
            "Find what compaction dropped from this conversation: earlier messages that hold all of the"
            " words, each with what stood around them."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to look for; quotes keep words together."},
                "limit": {"type": "integer", "description": "Most messages wanted (default 5)."},
            },
            "required": ["query"],
        },
    },
    {
        "name": "inspector_status",
        "description": "How full the context is, where compaction fires, and what the last one kept.",
        "parameters": {"type": "object", "properties": {}},
    },
]
