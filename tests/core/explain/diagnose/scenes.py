"""Every scene of every rule."""

from __future__ import annotations

from tests.core.explain.diagnose.cache_scenes import CACHE
from tests.core.explain.diagnose.money_scenes import MONEY
from tests.core.explain.diagnose.other_scenes import OTHER
from tests.core.explain.diagnose.other_structure_scenes import OTHER_STRUCTURE
from tests.core.explain.diagnose.partition_scenes import PARTITION
from tests.core.explain.diagnose.store_scenes import STORE
from tests.core.explain.diagnose.structure_scenes import STRUCTURE
from tests.core.explain.diagnose.summary_scenes import SUMMARY
from tests.core.explain.diagnose.thrash_scenes import THRASH
from tests.core.explain.diagnose.trigger_scenes import TRIGGER

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
