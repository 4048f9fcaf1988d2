"""What-if runs: a scenario in, a result on disk, worked by the queue and readable after a restart."""

from runs.errors import RunError

__all__ = ["RunError"]
