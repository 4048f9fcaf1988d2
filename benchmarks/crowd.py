"""How fifty users fare at once: they click every five seconds for two minutes, before two web workers.

The trace is that of the benchmark `pages`; the server is `heliograph serve`, the load comes from the same
machine. A click opens a page (its layout, then its callbacks), chooses other clusters, days or virtual
clusters on the page that is open, or searches the job finder: the requests that a browser posts, over at most
six connections, as it has. Who clicks what is drawn with a fixed seed; about one in ten choices is one of 105
virtual clusters, the others are the whole trace, a cluster, or the last days. A user who still waits clicks
when the answer is there. Before they come, every page about the whole trace has been opened three times; what
else they choose is answered for the first time.

- ``crowd_requests``, ``crowd_clicks``: how many there were;
- ``crowd_request_p50_ms``, ``_p95_ms``, ``_worst_ms``: from sending a request to its whole answer;
- ``crowd_click_p50_s``, ``_p95_s``, ``_worst_s``: from a click to the last answer that it needs;
- ``crowd_errors``: answers other than 200 and 204, and connections that broke;
- ``crowd_worker_cpu_ms``: CPU time of both web workers per click; ten clicks per second need ten times that,
  whatever else the machine does;
- ``crowd_worker_mib``: resident memory of the larger web worker afterwards;
- ``crowd_load_average``: of the machine before the crowd came, for a reader who wonders what else it did.
"""

import asyncio
import json
import os
import random
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from benchmarks._callbacks import FILTERS, FINDER, LAYOUT, PAGES, callbacks, filling, values
from benchmarks._demo_server import data_folder, serving

USERS, BETWEEN_S, DURATION_S = 50, 5.0, 120.0
CONNECTIONS = 6
WARM_ROUNDS = 3
SEED = 50
LAST_DAYS = ("2020-09-21", "2020-08-31", "2020-07-01")
ORDERS = ("submit_time", "duration_s", "queueing_delay_s", "gpu_num")


def measure() -> dict[str, float | None]:
    """The figures by name."""
    before = os.getloadavg()[0]
    with data_folder() as data, serving(data) as served:
        crowd = Crowd(served.address, _vcs(data))
        asyncio.run(crowd.open_every_page())
        used = served.worker_cpu_s()
        asyncio.run(crowd.click_around())
        figures = crowd.figures() | {"worker_mib": served.worker_mib(), "load_average": before}
        figures["worker_cpu_ms"] = 1000 * (served.worker_cpu_s() - used) / len(crowd.clicks)
    return {f"crowd_{name}": value for name, value in figures.items()}


def _vcs(data: Path) -> list[tuple[str, str]]:
    quota = pd.concat(
        pd.read_parquet(path) for path in (data / "traces/demo/current/quota").glob("*.parquet")
    )
    return sorted(set(zip(quota["cluster"], quota["vc"], strict=True)))


@dataclass
class Crowd:
    """The users, and what they have seen so far: seconds of every request and of every click."""

    address: str
    vcs: list[tuple[str, str]]
    requests: list[float] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    errors: int = 0

    def __post_init__(self) -> None:
        with urllib.request.urlopen(f"{self.address}_dash-dependencies") as answer:
            self.every = list(callbacks(json.load(answer)))
        self.layout, self.finder = (
            next(each for each in self.every if each.name == name) for name in (LAYOUT, FINDER)
        )

    def figures(self) -> dict[str, float | None]:
        """What is printed."""
        asked, clicked = 1000 * np.array(self.requests), np.array(self.clicks)
        shares = {"p50": 0.5, "p95": 0.95, "worst": 1.0}
        return {
            "requests": len(asked),
            "clicks": len(clicked),
            **{f"request_{name}_ms": float(np.quantile(asked, share)) for name, share in shares.items()},
            **{f"click_{name}_s": float(np.quantile(clicked, share)) for name, share in shares.items()},
            "errors": self.errors,
        }

    async def open_every_page(self) -> None:
        """Open every page about the whole trace a few times, so that both workers have met it."""
        filters = _filters()
        for page in list(PAGES) * WARM_ROUNDS:
            await self._post_all([self._laid_out(page, filters)])
            await self._post_all([each.body(values(filters)) for each in filling(page, self.every)])
        self.requests.clear()

    async def click_around(self) -> None:
        """All users until the time is over."""
        end = time.perf_counter() + DURATION_S
        await asyncio.gather(*(self._user(random.Random(SEED + user), end) for user in range(USERS)))

    async def _user(self, chance: random.Random, end: float) -> None:
        next_s = time.perf_counter() + chance.uniform(0, BETWEEN_S)
        for steps in self._clicks(chance):
            if next_s >= end:
                return
            await asyncio.sleep(max(0.0, next_s - time.perf_counter()))
            clicked = time.perf_counter()
            for bodies in steps:
                await self._post_all(bodies)
            self.clicks.append(time.perf_counter() - clicked)
            next_s = max(clicked + BETWEEN_S, time.perf_counter())

    def _clicks(self, chance: random.Random) -> Iterator[list[list[dict[str, Any]]]]:
        """Without end: the requests of each click, those of a step at once, the steps one after the other."""
        page, filters = chance.choice(list(PAGES)), _choice(chance, self.vcs)
        while True:
            kind = chance.choices(("open", "filter", "find"), (6, 3, 1))[0]
            if kind == "find":
                yield [[self.finder.body({f"{FINDER}.getRowsRequest": _rows(chance), FILTERS: filters})]]
                continue
            if kind == "open":
                page = chance.choice(list(PAGES))
            else:
                filters = _choice(chance, self.vcs)
            filled = [each.body(values(filters)) for each in filling(page, self.every)]
            yield [[self._laid_out(page, filters)], filled] if kind == "open" else [filled]

    def _laid_out(self, page: str, filters: dict[str, Any]) -> dict[str, Any]:
        search = "&".join(["?trace=demo", *(f"cluster={name}" for name in filters["clusters"])])
        place = {"_pages_location.pathname": f"/{PAGES[page]}", "_pages_location.search": search}
        return self.layout.body(place)

    async def _post_all(self, bodies: list[dict[str, Any]]) -> None:
        waiting = list(reversed(bodies))
        await asyncio.gather(*(self._connection(waiting) for _ in range(min(CONNECTIONS, len(bodies)))))

    async def _connection(self, waiting: list[dict[str, Any]]) -> None:
        """One connection of a browser: it takes what waits, one request after the other."""
        place = urlsplit(self.address)
        try:
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            while waiting:
                body = json.dumps(waiting.pop()).encode()
                begin = time.perf_counter()
                status = await _post(reader, writer, f"{place.path}_dash-update-component", body)
                self.requests.append(time.perf_counter() - begin)
                self.errors += status not in (200, 204)
            writer.close()
        except (OSError, EOFError):
            self.errors += 1


async def _post(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes) -> int:
    """The status of an answer that has been read to its end."""
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = next(
        (line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length")), "0"
    )
    await reader.readexactly(int(length))
    return int(head.split()[1])


def _filters() -> dict[str, Any]:
    """The whole trace."""
    return {"trace": "demo", "clusters": [], "vcs": [], "first_day": None, "last_day": None}


def _choice(chance: random.Random, vcs: list[tuple[str, str]]) -> dict[str, Any]:
    """The filters that somebody chooses."""
    filters = _filters()
    kind = chance.choices(("whole", "cluster", "days", "vc"), (4, 3, 2, 1))[0]
    cluster, vc = chance.choice(vcs)
    if kind in ("cluster", "vc"):
        filters["clusters"] = [cluster]
    if kind == "vc":
        filters["vcs"] = [vc]
    if kind == "days":
        filters["first_day"] = chance.choice(LAST_DAYS)
    return filters


def _rows(chance: random.Random) -> dict[str, Any]:
    """What the job finder's grid asks for."""
    model: dict[str, Any] = {}
    if chance.random() < 0.5:
        model["gpu_num"] = {"filterType": "number", "type": "greaterThanOrEqual", "filter": 8}
    order = [{"colId": chance.choice(ORDERS), "sort": "desc"}]
    return {"startRow": 0, "endRow": 50, "filterModel": model, "sortModel": order}
