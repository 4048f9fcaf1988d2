"""`make bench`: how fast things are. Each module's ``measure()`` gives names and values; docs name them."""
