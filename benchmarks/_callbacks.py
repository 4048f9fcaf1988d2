"""What a browser posts: the requests of the callbacks that lay a page out and fill its cards."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: The pages about what is going on, with their paths.
PAGES = {
    "overview": "",
    "clusters": "clusters",
    "vcs": "vcs",
    "jobs": "jobs",
    "queueing": "queueing",
    "users": "users",
    "compare": "compare",
}
#: First words of the names of a page's cards where they are not its own name.
ALSO_ON = {"waits": "queueing"}
FILTERS, COMPARISON = "filters.data", "comparison.data"
LAYOUT, FINDER = "_pages_content", "finder-grid"


@dataclass(frozen=True)
class Callback:
    """One entry of Dash's list of callbacks."""

    output: str
    inputs: tuple[str, ...]
    state: tuple[str, ...]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """Ids and properties that it fills."""
        return [_part(text) for text in self.output.strip(".").split("...")]

    @property
    def name(self) -> str:
        """The id of the first thing that it fills; of a card's part the card's name."""
        first = self.outputs[0]["id"]
        return str(first["name"]) if isinstance(first, dict) and "name" in first else str(first)

    def body(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The request's body, with the value of each input and state by ``id.property``."""
        several = self.output.startswith("..")
        return {
            "output": self.output,
            "outputs": self.outputs if several else self.outputs[0],
            "inputs": [{**_part(each), "value": values.get(each)} for each in self.inputs],
            "changedPropIds": list(self.inputs[:1]),
            "state": [{**_part(each), "value": values.get(each)} for each in self.state],
        }


def callbacks(dependencies: list[dict[str, Any]]) -> Iterator[Callback]:
    """The server's callbacks, from the answer to ``_dash-dependencies``."""
    for found in dependencies:
        if not found["clientside_function"]:
            inputs, state = (
                tuple(f"{each['id']}.{each['property']}" for each in found[kind])
                for kind in ("inputs", "state")
            )
            yield Callback(found["output"], inputs, state)


def filling(page: str, every: list[Callback]) -> list[Callback]:
    """The callbacks that a page's choice of trace, clusters and days sets off."""
    choices = [(FILTERS,), (COMPARISON,), ("clusters-choice.data",)]
    words = ((each, each.name.split("-")[0]) for each in every if each.inputs in choices)
    return [each for each, word in words if ALSO_ON.get(word, word) == page]


def values(filters: Mapping[str, Any]) -> dict[str, Any]:
    """What the stores of all pages hold about one choice; Compare sets it beside Earth."""
    other = {**filters, "clusters": ["Earth"], "vcs": []}
    return {
        FILTERS: dict(filters),
        "clusters-choice.data": {**filters, "published": False},
        COMPARISON: {"one": dict(filters), "other": other, "references": True},
    }


def _names(parts: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(f"{part['id']}.{part['property']}" for part in parts)


def _part(text: str) -> dict[str, Any]:
    name, _, prop = text.rpartition(".")
    return {"id": json.loads(name) if name.startswith("{") else name, "property": prop}
