"""Sums over whole periods that pages ask for again and again, written when a version is published.

Each ``<name>.sql`` is one of them, about one cluster. A reader takes whole periods from here and counts what
is left at the edges of its window from the jobs, so a rollup makes an answer faster and never another one. A
version that lacks one, or has one only for some clusters, is answered from the jobs. A rollup whose meaning
changes gets another name.
"""

from traces.rollups.writing import NAMES, write, write_cluster

__all__ = ["NAMES", "write", "write_cluster"]
