"""A scheduling scenario and its address: the filter bar's choice and the form's, both ways."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, quote

from components.filter_bar import Choices
from components.filters import Filters, from_query
from components.numbers import plural
from components.replay_form import ReplayChoice, replay_choice, replay_pairs
from components.replay_rules import OPTIONS
from pages.carried import carried_settings, is_day, with_carried
from pages.scope import Scope, scope_of_query
from queries import QueryError, fetch
from runs.scenario import SchedulingScenario

ONE_DAY = timedelta(days=1)
Pairs = list[tuple[str, str]]


def clusters_with_jobs(scope: Scope) -> list[str]:
    """The clusters of the trace that can be replayed: a cluster of node counts alone has no jobs."""
    facts = scope.manifest["clusters"]
    return [cluster for cluster in scope.all_clusters if facts[cluster]["format"] != "nodes"]


def replay_scenario(scope: Scope, choice: ReplayChoice) -> SchedulingScenario:
    """What a run replays. A cluster that nobody chose takes part if it has jobs."""
    scenario = SchedulingScenario(
        **scope_settings(scope),
        policies=choice.policies,
        placement=choice.placement,
        extra_nodes=dict(choice.extra_nodes),
        load_factor=choice.load_factor,
        duration_factor=choice.duration_factor,
        **dict.fromkeys(choice.options, True),
    )
    filters = scope.filters
    dated = {"from" if filters.first_day else "", "to" if filters.last_day else ""}
    return with_carried(scenario, choice.carried, but=dated)


#: Settings of a scenario that the form and the filter bar have a control for.
ON_FORM = {"trace", "clusters", "vcs", "policies", "placement", "extra_nodes", "load_factor"}
ON_FORM |= {"duration_factor", *OPTIONS}


def replay_query(scenario: Mapping[str, Any]) -> Pairs:
    """The keys and values of the form's address for a stored scenario; times that are no days left out."""
    choice = ReplayChoice(
        tuple(scenario["policies"]),
        scenario["placement"],
        scenario["load_factor"],
        tuple(scenario["extra_nodes"].items()),
        scenario.get("duration_factor", 1.0),
        tuple(name for name in OPTIONS if scenario.get(name)),
        carried_settings("scheduling", scenario, ON_FORM),
    )
    return scope_pairs(scenario) + replay_pairs(choice)


def choice_of(query: Mapping[str, Any]) -> ReplayChoice:
    """The form's choice of an address; an address that says ``policy=`` and nothing behind it chose none."""
    if query.get("policy") == "":
        return ReplayChoice(policies=())
    return replay_choice(query)


def query_of(address: str) -> dict[str, Any]:
    """The query of an address as Dash gives it to a layout."""
    parsed = parse_qs(address.removeprefix("?"), keep_blank_values=True)
    return {key: values[0] if len(values) == 1 else values for key, values in parsed.items()}


def changeable_vcs(scope: Scope) -> list[dict[str, str]]:
    """The VCs whose capacity is known, as options: value ``cluster/vc``, the label says the GPUs."""
    options = []
    several = len(clusters_with_jobs(scope)) > 1
    for cluster in clusters_with_jobs(scope):
        quota = fetch("quota", trace=scope.trace, cluster=cluster)
        for vc, gpus in quota.groupby("vc")["gpus"].max().items():
            place = f" · {cluster}" if several else ""
            options.append({"value": f"{cluster}/{vc}", "label": f"{vc}{place} ({plural(gpus, 'GPU')})"})
    return options


def with_jobs(scope: Scope) -> Scope:
    """The scope without clusters that have no jobs. Raises QueryError where none has any."""
    known = clusters_with_jobs(scope)
    if not known:
        raise QueryError(f"Trace “{scope.trace}” has node counts and no jobs, so there is nothing to replay.")
    chosen = tuple(cluster for cluster in scope.filters.clusters if cluster in known)
    return replace(scope, filters=replace(scope.filters, clusters=chosen))


def form_scope(query: Mapping[str, Any]) -> Scope:
    """What a scheduling form is about: where its address says nothing of days, the last month with jobs.

    A schedule of months takes its time. An address that names a run, or ``days=all`` (``withDays`` in
    ``assets/what-if-forms.js``), means every day.
    """
    scope = with_jobs(scope_of_query(query))
    return scope if _DAYS & query.keys() else replace(scope, filters=_last_month(scope))


def every_day(scope: Scope) -> str:
    """What the address of a form says of days that is about all of them; empty where it need say nothing."""
    whole = replace(scope, filters=replace(scope.filters, first_day=None, last_day=None))
    return "all" if _last_month(whole).first_day else ""


def form_address(scope: Scope, choice: ReplayChoice) -> str:
    """The address that the form about this choice writes (``keepReplay`` in ``assets/what-if.js``)."""
    query = scope.filters.query_string()
    filters = scope.filters
    pairs = replay_pairs(choice)
    if not (filters.first_day or filters.last_day) and every_day(scope):
        pairs = [("days", every_day(scope)), *pairs]
    return "&".join([query, *(f"{key}={quote(value, safe=UNQUOTED)}" for key, value in pairs)])


#: What keepReplay leaves as it is, beside letters, digits and ``_.-~``.
UNQUOTED = "/:!*'()"
_DAYS = {"from", "to", "days", "run", "also"}
#: A month of which the trace has fewer days than this is no month yet.
FEWEST_DAYS = 7


def _last_month(scope: Scope) -> Filters:
    """The filters with the days of the last month, or of the one before where it has only begun."""
    first = scope.last_day.replace(day=1)
    last = scope.last_day
    if (last - first).days + 1 < FEWEST_DAYS:
        last = first - ONE_DAY
        first = last.replace(day=1)
    if last < scope.first_day or (first <= scope.first_day and last == scope.last_day):
        return scope.filters
    return replace(scope.filters, first_day=max(first, scope.first_day), last_day=last)


def choices_with_jobs(scope: Scope) -> Choices:
    """What the filter bar of a replay's form offers."""
    return replace(scope.choices(), clusters=tuple(clusters_with_jobs(scope)))


def scope_settings(scope: Scope) -> dict[str, Any]:
    """Whose jobs are replayed, as every kind of scheduling scenario names it.

    A cluster that nobody chose takes part if it has jobs.
    """
    filters, known = scope.filters, clusters_with_jobs(scope)
    return {
        "trace": scope.trace,
        "clusters": filters.clusters or (() if known == scope.all_clusters else tuple(known)),
        "vcs": filters.vcs,
        "from_": filters.first_day.isoformat() if filters.first_day else "",
        "to": (filters.last_day + ONE_DAY).isoformat() if filters.last_day else "",
    }


def scope_pairs(scenario: Mapping[str, Any]) -> Pairs:
    """The same as keys and values of a form's address; times that are no days are left out."""
    filters = from_query({"trace": scenario["trace"], "cluster": scenario["clusters"], "vc": scenario["vcs"]})
    pairs: Pairs = [("trace", scenario["trace"])]
    pairs += [("cluster", cluster) for cluster in filters.clusters] + [("vc", vc) for vc in filters.vcs]
    days = [(key, scenario[key]) for key in ("from", "to") if is_day(scenario[key])]
    return pairs + (days or [("days", "all")])
