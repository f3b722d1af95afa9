"""Every scene of every rule."""

from __future__ import annotations

from tests.core.explain.findings.cache_scenes import CACHE
from tests.core.explain.findings.money_scenes import MONEY
from tests.core.explain.findings.other_scenes import OTHER
from tests.core.explain.findings.other_structure_scenes import OTHER_STRUCTURE
from tests.core.explain.findings.partition_scenes import PARTITION
from tests.core.explain.findings.store_scenes import STORE
from tests.core.explain.findings.structure_scenes import STRUCTURE
from tests.core.explain.findings.summary_scenes import SUMMARY
from tests.core.explain.findings.thrash_scenes import THRASH
from tests.core.explain.findings.trigger_scenes import TRIGGER

SCENES = (
    *TRIGGER,
    *THRASH,
    *SUMMARY,
    *PARTITION,
    *STRUCTURE,
    *OTHER,
    *OTHER_STRUCTURE,
    *MONEY,
    *CACHE,
    *STORE,
)
