"""What of a middle survives in its summary, found without a model."""

from core.compress.retention.report import retention

__all__ = ["retention"]
