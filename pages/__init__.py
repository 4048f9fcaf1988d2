"""One file per question that an operator asks; each registers a page, lays it out and wires its callbacks."""
