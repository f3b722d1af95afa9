"""Checkable facts of messages: what a summary is made of, and what it can be held against."""

from core.compress.anchors.collect import CATEGORIES, Found, about, collect, constraints, sentences, topic_of
from core.compress.anchors.values import AnchorValue, classify, values
from core.compress.anchors.view import Call, View, one_line, views

__all__ = [
    "CATEGORIES",
    "AnchorValue",
    "Call",
    "Found",
    "View",
    "about",
    "classify",
    "collect",
    "constraints",
    "one_line",
    "sentences",
    "topic_of",
    "values",
    "views",
]
