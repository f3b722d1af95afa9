"""Every scene of every rule about conversations."""

from __future__ import annotations

from tests.core.explain.findings.partition_scenes import PARTITION
from tests.core.explain.findings.structure_scenes import STRUCTURE
from tests.core.explain.findings.summary_scenes import SUMMARY
from tests.core.explain.findings.thrash_scenes import THRASH
from tests.core.explain.findings.trigger_scenes import TRIGGER

SCENES = (*TRIGGER, *THRASH, *SUMMARY, *PARTITION, *STRUCTURE)
