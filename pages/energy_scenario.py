"""An energy scenario and its address, and which days of a cluster can be studied."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import pandas as pd

from components.controllers import PARAMETERS, reads_preset, usual_values
from components.energy_choice import POWER, EnergyChoice, energy_pairs, preset_of
from components.energy_form import DemandChoices
from components.filters import FilterError
from pages.carried import carried_settings, is_day, with_carried
from pages.scope import local, naive_utc
from queries import QueryError, fetch, manifests
from runs.scenario import EnergyScenario

ONE_DAY = timedelta(days=1)
TRAINING = pd.Timedelta(days=2)
DEFAULT_DAYS = 14


@dataclass(frozen=True)
class DemandScope:
    """A cluster of a stored trace, and the choice of an address about it."""

    choice: EnergyChoice
    manifest: Mapping[str, Any]
    first_time: pd.Timestamp
    last_time: pd.Timestamp
    nodes: float | None = None

    @property
    def timezone(self) -> str:
        """The trace's time zone, by its IANA name."""
        return str(self.manifest["timezone"])

    @property
    def generated(self) -> bool:
        """Whether the trace is a generated one."""
        return bool(self.manifest["generated"])

    @property
    def first_day(self) -> date:
        """The first local day before which there are two days of data."""
        ready = local(self.first_time + TRAINING, self.timezone)
        return ready.date() if ready == ready.normalize() else ready.date() + ONE_DAY

    @property
    def last_day(self) -> date:
        """The local day of the last known value."""
        return local(self.last_time, self.timezone).date()

    @property
    def default_first_day(self) -> date:
        """The first of the last 14 days, or the first day that can be studied."""
        return max(self.first_day, self.last_day - (DEFAULT_DAYS - 1) * ONE_DAY)

    @property
    def too_short(self) -> bool:
        """Whether no day can be studied."""
        return self.first_day > self.last_day

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the trace's manifest says of the cluster."""
        return self.manifest["clusters"][self.choice.cluster]

    def choices(self) -> DemandChoices:
        """What the form offers."""
        return DemandChoices(
            traces=tuple(manifests.names()),
            clusters=tuple(sorted(self.manifest["clusters"])),
            first_day=self.first_day,
            last_day=self.last_day,
            default_first_day=self.default_first_day,
            timezone=self.timezone,
            nodes=self.nodes,
            has_series=self.facts["has_series"],
            has_jobs=self.facts["format"] != "nodes",
        )


def demand_scope(choice: EnergyChoice) -> DemandScope:
    """The cluster that a choice names; without one, a cluster with recorded node counts, else the first.

    Raises:
        QueryError, FilterError: no such trace or cluster, or nothing to study in it.
    """
    known = manifests.names()
    if not known:
        raise QueryError("There is no trace here yet.")
    manifest = manifests.manifest(choice.trace or known[0])
    clusters = manifest["clusters"]
    recorded = [name for name in sorted(clusters) if clusters[name]["has_series"]]
    cluster = choice.cluster or (recorded or sorted(clusters))[0]
    if cluster not in clusters:
        has = ", ".join(sorted(clusters))
        raise FilterError(f"Trace “{manifest['trace']}” has no cluster “{cluster}”; it has {has}.")
    first, last = _span(manifest, cluster)
    named = replace(choice, trace=manifest["trace"], cluster=cluster)
    return DemandScope(named, manifest, first, last, cluster_nodes(manifest, cluster))


def cluster_nodes(manifest: Mapping[str, Any], cluster: str) -> float | None:
    """The most nodes that a cluster ever had, by its node series, else by its quota; None: nobody says."""
    facts = manifest["clusters"][cluster]
    if facts["has_series"]:
        most = fetch("node_series", trace=manifest["trace"], cluster=cluster)["total"].max()
        return None if pd.isna(most) else float(most)
    quota = fetch("quota", trace=manifest["trace"], cluster=cluster)
    largest = quota.groupby("vc")["gpus"].max()
    nodes = float((-(-largest // facts["gpus_per_node"])).sum())
    return nodes or None


def _span(manifest: Mapping[str, Any], cluster: str) -> tuple[pd.Timestamp, pd.Timestamp]:
    """First and last instant of the demand: of the node series if there is one, else of submissions."""
    if manifest["clusters"][cluster]["has_series"]:
        times = fetch("node_series", trace=manifest["trace"], cluster=cluster)["time"].dropna()
        if len(times):
            return times.min(), times.max()
    report = manifest["clusters"][cluster]["report"]
    if not report.get("first_submit"):
        raise QueryError(
            f"Cluster “{cluster}” holds neither jobs nor node counts; its import report says why."
        )
    return naive_utc(report["first_submit"]), naive_utc(report["last_submit"])


def energy_scenario(scope: DemandScope) -> EnergyScenario:
    """What a run studies: whole local days, up to the end of the data where the last of them is chosen.

    A parameter is stored where it is not the one that the run would take by itself: the cluster's size may
    have made it another one than the preset's.
    """
    choice = scope.choice
    last = choice.last_day
    to = "" if last is None or last >= scope.last_day else (last + ONE_DAY).isoformat()
    scenario = EnergyScenario(
        trace=str(choice.trace),
        cluster=str(choice.cluster),
        from_=(choice.first_day or scope.default_first_day).isoformat(),
        to=to,
        model=choice.model,
        policy=choice.policy,
        controller=choice.controller,
        preset=preset_of(choice) if reads_preset(choice.controller) else "",
        parameters=_parameters(scope),
        boot_time_s=choice.boot_time_s,
        wake_failure_probability=choice.wake_failure_probability,
        frontier=choice.frontier,
        **{name: choice.power.get(name) for name in POWER},
    )
    dated = {"from" if choice.first_day else "", "to" if choice.last_day else ""}
    return with_carried(scenario, choice.carried, but=dated)


def _parameters(scope: DemandScope) -> dict[str, float]:
    choice = scope.choice
    preset = preset_of(choice)
    usual = usual_values(choice.controller, preset, scope.nodes)
    by_itself = usual if not reads_preset(choice.controller) else usual_values(choice.controller, preset)
    wanted = usual | {name: value for name, value in choice.parameters.items() if name in usual}
    return {name: float(value) for name, value in wanted.items() if value != by_itself[name]}


#: Settings of a scenario that the form has a control for.
ON_FORM = {"trace", "cluster", "model", "policy", "controller", "preset", "parameters", "boot_time_s"}
ON_FORM |= {"wake_failure_probability", "frontier", *POWER}


def energy_query(scenario: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The keys and values of the form's address for a stored scenario."""
    first, end = (
        date.fromisoformat(scenario[key]) if is_day(scenario[key]) else None for key in ("from", "to")
    )
    return energy_pairs(
        EnergyChoice(
            trace=scenario["trace"],
            cluster=scenario["cluster"],
            first_day=first,
            last_day=end and end - ONE_DAY,
            model=scenario["model"],
            controller=scenario["controller"],
            policy=scenario["policy"],
            preset=scenario["preset"] or None,
            parameters=_stored_parameters(scenario),
            boot_time_s=scenario["boot_time_s"],
            wake_failure_probability=scenario["wake_failure_probability"],
            frontier=scenario["frontier"],
            power={name: scenario[name] for name in POWER if scenario[name] is not None},
            carried=carried_settings("energy", scenario, ON_FORM),
        )
    )


def _stored_parameters(scenario: Mapping[str, Any]) -> dict[str, float]:
    """Every parameter that a stored CES had, so that no form scales it anew; of others the changed ones."""
    stored = {name: scenario["parameters"][name] for name in PARAMETERS if name in scenario["parameters"]}
    if not reads_preset(scenario["controller"]):
        return stored
    of_cluster = EnergyChoice(cluster=scenario["cluster"], preset=scenario["preset"] or None)
    return usual_values(scenario["controller"], preset_of(of_cluster)) | stored
