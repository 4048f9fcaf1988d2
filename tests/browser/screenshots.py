"""`make screenshots`: photograph every page of the running product with the demo trace, in both themes.

python -m tests.browser.screenshots docs/screenshots [width ...]
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import FLAGS, chromium
from tests.browser.server import serving


def main(folder: Path, widths: list[int]) -> None:
    """Make a demo trace and one run of each kind, then open every page."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        os.environ["HELIOGRAPH_DATA"] = data
        replay, energy, sweep, plan = prepare()
        pages = {
            "overview": "",
            "clusters": "clusters?trace=demo",
            "virtual-clusters": "vcs?trace=demo",
            "jobs": "jobs?trace=demo",
            "job-finder": "jobs/find?trace=demo",
            "queueing": "queueing?trace=demo",
            "users": "users?trace=demo",
            "user": f"users/{busiest_user()}?trace=demo",
            "compare": "compare?trace=demo",
            "scheduling": f"runs/{replay}",
            "sweep": f"runs/{sweep}",
            "plan": f"runs/{plan}",
            "energy": f"runs/{energy}",
            "what-if-scheduling": "scheduling?trace=demo",
            "what-if-energy": "energy?trace=demo",
            "runs": "runs",
            "traces": "traces",
            "import": "traces/import",
        }
        with serving(Path(data)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS.split())
            for name, path in pages.items():
                for scheme in ("light", "dark"):
                    for width in widths:
                        photograph(
                            browser, address + path, folder / _file(name, scheme, width), scheme, width
                        )


def prepare() -> list[str]:
    """The demo trace and the ids of finished runs: a replay, an energy run, a sweep, a plan."""
    import settings
    from commands import demo
    from runs import queue
    from runs.scenario import EnergyScenario, PlanScenario, SchedulingScenario, SweepScenario

    settings.current.cache_clear()
    demo.make(settings.current().data)
    policies = ("fifo", "sjf", "smallest", "qssf")
    replay = queue.start(
        SchedulingScenario("demo", ("Uranus",), from_="2020-07-01", to="2020-09-01", policies=policies),
        "Uranus, July and August",
    )
    energy = queue.start(
        EnergyScenario(
            *("demo", "Earth", "2020-09-01", "2020-09-15"),
            controller="margin",
            boot_time_s=300.0,
            frontier=True,
            idle_w=800.0,
            pue=1.3,
            price_per_kwh=0.15,
            carbon_g_per_kwh=450.0,
        ),
        "Earth, first half of September",
    )
    month = {"trace": "demo", "clusters": ("Earth",), "from_": "2020-09-01", "to": "2020-10-01"}
    steps, loads = ("x0.9", "x1", "x1.1", "x1.2", "x1.5"), (0.8, 1.0, 1.2)
    grid = SweepScenario(
        **month, policies=("fifo", "qssf", "smallest"), nodes=steps, load_factors=loads, seeds=(1, 2, 3)
    )
    sweep = queue.start(grid, "Earth in September")
    plan = queue.start(PlanScenario(**month, policy="qssf", by="load"), "Earth in September")
    made = (replay, energy, sweep, plan)
    for run in made:
        queue.work_on(run.id)
        assert queue.store().get(run.id).state == "done", queue.store().get(run.id).error
    return [run.id for run in made]


def busiest_user() -> str:
    """The user of the demo trace who holds most GPU time."""
    from queries import fetch

    everything = {"start": pd.Timestamp("2020-01-01"), "end": pd.Timestamp("2021-01-01")}
    users = fetch("users", trace="demo", clusters=[], vcs=[], **everything).dropna(subset="user")
    return str(users.groupby("user")["gpu_s"].sum().idxmax())


def photograph(browser: Browser, address: str, file: Path, scheme: str, width: int) -> None:
    """One page, from top to bottom."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    time.sleep(1.5)  # the charts' last transition
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": width, "height": min(height, 4000)})
    time.sleep(0.5)
    page.screenshot(path=file)
    context.close()
    print(file)


def _file(name: str, scheme: str, width: int) -> str:
    return f"{name}-{scheme}.png" if width == 1440 else f"{name}-{scheme}-{width}.png"


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(width) for width in sys.argv[2:]] or [1440])
