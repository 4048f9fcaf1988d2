"""Traces: accounting files in, canonical parquet tables and an honest report out."""

from traces.errors import TraceError

__all__ = ["TraceError"]
