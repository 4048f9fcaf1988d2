"""What would a grid of schedules have done: policies × nodes × loads?"""

import dash

from components import sweep_form as form
from components import what_if_tabs
from components.numbers import plural
from pages.form_page import FormPage
from pages.replay_scenario import query_of, with_jobs
from pages.scope import Scope, scope_of_query
from pages.sweep_scenario import points_of, sweep_scenario
from runs.scenario import SweepScenario


def scope_and_sweep(address: str) -> tuple[Scope, SweepScenario]:
    """What the form's address asks for, of what."""
    query = query_of(address)
    scope = with_jobs(scope_of_query(query))
    return scope, sweep_scenario(scope, form.sweep_choice(query))


def asked(address: str) -> SweepScenario:
    """The sweep of the form's address. Raises a grid that is too large or cannot be as a sentence."""
    scope, scenario = scope_and_sweep(address)
    points_of(scope, scenario)
    return scenario


def size(address: str) -> str:
    """How many scenarios the grid has."""
    scope, scenario = scope_and_sweep(address)
    number = len(points_of(scope, scenario))
    jobs = scope.ask("jobs_submitted").iloc[0]["gpu_jobs"]
    clusters = len(scenario.clusters or scope.all_clusters)
    among = f" in {plural(clusters, 'cluster')}" if clusters > 1 else ""
    return f"{plural(number, 'scenario')}{among}, of {plural(jobs, 'GPU job')}{' together' if among else ''}."


PAGE = FormPage[form.SweepChoice](
    kind="sweep",
    path="/scheduling/sweep",
    question="How do waiting and use change with nodes, load and policy?",
    invitation=(
        "Choose the axes; every combination is replayed, and a chart shows where it gets better or worse."
    ),
    placeholder="The grid's results appear here, and stay at an address of their own.",
    form=form,
    choice=form.sweep_choice,
    drawn=form.sweep_form,
    asked=asked,
    size=size,
)
dash.register_page(
    __name__,
    path=PAGE.path,
    title="Sweep · Heliograph",
    layout=PAGE.layout,
    skeleton=PAGE.skeleton,
    exists=PAGE.exists,
)
what_if_tabs.register()
PAGE.wire()
