"""agent.log and its rotations: the lines that bear on compression, read once and remembered."""

from core.hermes.log.read import Log, log_files, read_log
from core.hermes.log.record import Kind, LogRecord, Telemetry

__all__ = ["Kind", "Log", "LogRecord", "Telemetry", "log_files", "read_log"]
