"""How many nodes do we need, or how much load can we take, for a target?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import dash

from components import plan_form as form
from components.numbers import plural
from pages.form_page import FormPage
from pages.plan_scenario import plan_scenario
from pages.replay_scenario import clusters_with_jobs, form_scope, query_of, with_jobs
from pages.scope import Scope, scope_of_query
from runs.scenario import PlanScenario


def scope_and_plan(address: str) -> tuple[Scope, PlanScenario]:
    """What the form's address asks for, of what. Raises what cannot be planned as a sentence."""
    query = query_of(address)
    scope = with_jobs(scope_of_query(query))
    return scope, plan_scenario(scope, form.plan_choice(query))


def asked(address: str) -> PlanScenario:
    """The plan of the form's address."""
    return scope_and_plan(address)[1]


def size(address: str) -> str:
    """What is replayed again and again."""
    scope, _ = scope_and_plan(address)
    jobs = scope.ask("jobs_submitted").iloc[0]["gpu_jobs"]
    where = ", ".join(scope.filters.clusters or clusters_with_jobs(scope))
    return f"{plural(jobs, 'GPU job')} of {where}, replayed at each size that the search asks."


def one_cluster(query: Mapping[str, Any]) -> Scope:
    """What the form is about: where its address names no cluster, the first that has the VCs it names."""
    scope = form_scope(query)
    filters = scope.filters
    if filters.clusters:
        return scope
    for cluster in clusters_with_jobs(scope):
        alone = replace(scope, filters=replace(filters, clusters=(cluster,)))
        if set(filters.vcs) <= set(alone.choices().vcs):
            return alone
    return scope


PAGE = FormPage[form.PlanChoice](
    kind="plan",
    path="/scheduling/plan",
    question="How many nodes do we need, or how much load can we take?",
    invitation="Name a target; the smallest number of nodes, or the largest load, that meets it is searched.",
    placeholder="The answer appears here, and stays at an address of its own.",
    form=form,
    choice=form.plan_choice,
    drawn=form.plan_form,
    asked=asked,
    size=size,
    scope=one_cluster,
)
dash.register_page(
    __name__,
    path=PAGE.path,
    title="Plan · Heliograph",
    layout=PAGE.layout,
    skeleton=PAGE.skeleton,
    exists=PAGE.exists,
)
PAGE.wire()
