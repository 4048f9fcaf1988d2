"""A demo datacenter: the four Helios clusters, April – September 2020, generated from published
statistics."""

from traces.demo.generate import DEFAULT_SCALE, DEFAULT_SEED, generate

__all__ = ["DEFAULT_SCALE", "DEFAULT_SEED", "generate"]
