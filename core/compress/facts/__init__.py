"""Checkable facts of messages: what a summary is made of, and what it can be held against."""

from core.compress.facts.collect import CATEGORIES, Found, about, collect, constraints, sentences, topic_of
from core.compress.facts.readable import Call, View, one_line, views
from core.compress.facts.values import AnchorValue, classify, values

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
